// A player's notepad: why a cell is as it is, what would follow, marks, and the player's own words.
import { $, $$, body, on, pause, post, say } from "./page.js";
import { replace } from "./seat.js";

let asked = {}; // what is supposed, until something happens
let [jobs, whys, keeps, sheetState, whyState, timer] = [0, 0, 0, "", "", 0];

/** @type {(more?: object) => Promise<void>} */
export async function openPad(more) {
  const sheet = $("#sheet");
  if (!sheet || (!more && sheetState === body.dataset.state)) return;
  const own = (jobs += 1);
  await pause(250); // a burst of events is counted once
  if (own !== jobs || "gone" in body.dataset) return;
  const [{ state = "" }, before] = [body.dataset, keeps];
  const answer = await post("pad", { ...asked, ...more });
  if (own !== jobs) return;
  if (before !== keeps) return openPad(more); // it was counted before the note was kept
  if (!answer.html) return more && say(answer.told);
  asked = answer.asked;
  sheetState = state;
  const left = $$(".grid", sheet).map((grid) => grid.scrollLeft);
  replace(sheet, answer.html);
  for (const [k, grid] of $$(".grid", sheet).entries()) grid.scrollLeft = left[k] ?? 0;
  if (more || whyState !== state) $("#why").textContent = "";
  note.hidden = answer.note === null;
  if ("busy" in note.dataset) return;
  note.dataset.match = answer.match;
  words.value = answer.note ?? "";
  note.open ||= words.value !== "";
}

on("click", "[data-cell]", async (button) => {
  const own = (whys += 1);
  const { state = "" } = body.dataset;
  const answer = await post("why", { cell: button.dataset.cell, ...asked });
  // Another one was touched, or it means another card by now.
  if (own !== whys || state !== body.dataset.state) return;
  $("#why").innerHTML = answer.html ?? "";
  $("#why").togglePopover?.(true); // it goes by Escape, and by a touch on anything else
  whyState = state;
});
on("click", "[data-supposed]", ({ dataset: { supposed } }) => {
  say();
  openPad({ supposed: JSON.parse(supposed) });
  $("#pad").scrollIntoView({ block: "nearest" });
});

// -- the note --------------------------------------------------------------------------------
// Kept a moment after the last letter, and when the page is left; until then no news replace it.

const note = /** @type {HTMLDetailsElement} */ ($("#note"));
const words = /** @type {HTMLTextAreaElement} */ ($("#note textarea"));

async function keep() {
  clearTimeout(timer);
  if (!note || !("busy" in note.dataset)) return;
  const text = words.value;
  const answer = await post("note", { text, match: Number(note.dataset.match) }, 40);
  if (answer.answer !== "done") say(answer.told);
  else if (text === words.value) delete note.dataset.busy;
  keeps += 1;
}

on("input", "#note textarea", () => {
  note.dataset.busy = "";
  clearTimeout(timer);
  timer = setTimeout(keep, 700);
});
document.addEventListener("visibilitychange", () => document.hidden && keep());
