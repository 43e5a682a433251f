// A player's notepad: why a cell is as it is, what would follow, marks, and the player's own words.
import { $, $$, body, on, pause, post, say } from "./page.js";
import { replace } from "./seat.js";

/** @type {[string, string, boolean][]} Rows, columns and whether it is so: until something happens. */
let supposed = [];
/** @type {number?} */
let counted = null;
let [jobs, whys, keeps, sheetState, whyState, timer] = [0, 0, 0, "", "", 0];
const asked = () => ({ supposed, log: counted });

export async function openPad() {
  const sheet = $("#sheet");
  const own = (jobs += 1);
  if (!sheet || sheetState === body.dataset.state) return;
  await pause(250); // a burst of events is counted once
  if (own !== jobs || "gone" in body.dataset) return;
  const [{ state = "" }, before] = [body.dataset, keeps];
  const answer = await post("pad", asked());
  if (own !== jobs) return;
  if (before !== keeps) return openPad(); // it was counted before the note was kept
  if (!answer.html && supposed.pop()) say(answer.told);
  if (!answer.html) return;
  if (counted !== answer.log) supposed = [];
  counted = answer.log;
  sheetState = state;
  const left = $$(".grid", sheet).map((grid) => grid.scrollLeft);
  replace(sheet, answer.html);
  for (const [k, grid] of $$(".grid", sheet).entries()) grid.scrollLeft = left[k] ?? 0;
  if (whyState !== state) $("#why").textContent = "";
  note.hidden = answer.note === null;
  if ("busy" in note.dataset) return;
  note.dataset.match = answer.match;
  words.value = answer.note ?? "";
  note.open ||= words.value !== "";
}

export function loadPad() {
  sheetState = whyState = "";
  openPad();
}

/** @type {(rows: [string, string, boolean][]) => void} */
function suppose(rows) {
  supposed = rows;
  say();
  loadPad();
  $("#pad").scrollIntoView({ block: "nearest" });
}

on("click", "[data-cell]", async (button) => {
  const own = (whys += 1);
  const { state = "" } = body.dataset;
  const answer = await post("why", { cell: button.dataset.cell, ...asked() });
  // Another one was touched, or it means another card by now.
  if (own !== whys || state !== body.dataset.state) return;
  $("#why").innerHTML = answer.html ?? "";
  whyState = state;
});
on("click", "[data-mark]", async ({ dataset: { row, column, mark } }) => {
  say((await post("mark", { row, column, mark, ...asked() })).told);
  loadPad();
});
on("click", "[data-suppose]", ({ dataset: { row, column, suppose: so } }) =>
  suppose([...supposed, [row, column, so === "yes"]]),
);
on("click", "[data-drop]", ({ dataset: { drop } }) =>
  suppose(supposed.filter((_row, k) => k !== Number(drop))),
);

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
