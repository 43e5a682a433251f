// The phone's camera: a player's hand is shown to it, or it is lent to the table.
import { mark } from "./forms.js";
import { $, $$, inputs, on, pause, post, say, speak, stayOn } from "./page.js";
import { changed } from "./touches.js";

const MOST = 1600; // pixels a side that the table takes of a hand
const video = /** @type {HTMLVideoElement} */ ($("video"));
const box = /** @type {HTMLDialogElement?} */ ($("#shown"));
/** @type {Set<string>} */
const read = new Set();
/** @type {MediaStream?} */
let stream = null;
let job = 0; // a job is one showing: what is answered after its end is dropped

/** @type {(source: HTMLVideoElement | File, most: number) => Promise<Blob>} */
async function frameOf(source, most) {
  const image = await createImageBitmap(source);
  const scale = Math.min(1, most / Math.max(image.width, image.height));
  const [wide, high] = [image.width, image.height].map((side) => Math.round(side * scale) || 1);
  const canvas = new OffscreenCanvas(wide, high);
  canvas.getContext("2d")?.drawImage(image, 0, 0, wide, high);
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

function end() {
  job += 1;
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = video.srcObject = null;
  if (box?.open) box.close();
}

/**
 * Sends frames, one after the other, until it is ended.
 * @type {(path: string, wide: number, high: number, tell: (answer: any) => void) => Promise<void>}
 */
async function film(path, wide, high, tell) {
  const own = (job += 1);
  const size = { width: { ideal: wide }, height: { ideal: high } };
  const asked = { video: { facingMode: { ideal: "environment" }, ...size } };
  stream = await navigator.mediaDevices.getUserMedia(asked).catch(() => null);
  if (!stream) say(video.dataset.refused);
  if (!stream || own !== job) return end();
  video.srcObject = stream;
  await video.play().catch(() => null); // it was left meanwhile
  stayOn();
  for (let first = "new"; own === job; first = "") {
    const began = performance.now();
    const answer = await post(`frame?${path}&${first}`, await frameOf(video, wide));
    if (own === job) tell(answer);
    await pause((answer.answer === "lost" ? 1000 : 200) - (performance.now() - began));
  }
}

/**
 * What is sure is chosen, what is doubtful stands out and is chosen by a touch. The form may have
 * been drawn anew since the hand was first seen: it is found by its title.
 * @type {(title: string, answer: any) => void}
 */
function fill(title, { answer, told, sure, doubtful, seen, html, enough }) {
  const field = $(`form[data-title="${CSS.escape(title)}"] .field:has([data-show])`);
  if (answer !== "newer") say(told);
  if (answer === "refused" || !field) return end();
  if (answer !== "done") return;
  for (const input of inputs(field, "[data-card]")) {
    input.checked = sure.includes(input.dataset.card);
    delete input.dataset.order;
    const isDoubtful = doubtful.includes(input.dataset.card);
    input.ariaDescription = isDoubtful ? `${box?.dataset.doubtful}` : null;
  }
  const form = /** @type {HTMLFormElement} */ (field.closest("form"));
  mark(form);
  for (const name of $$(".choice:has(input:checked) .sr", field).map((one) => one.innerText)) {
    if (!read.has(name) && $("#aloud [aria-pressed=true]")) speak(name);
    read.add(name);
  }
  $("#seen").textContent = seen;
  $("#shown .cards").innerHTML = html;
  if (!enough) return;
  end();
  changed();
  $("button[type=submit]", form).scrollIntoView({ block: "nearest" });
}

on("click", "[data-show]", (button) => {
  const { title, count } = { ...button.form.dataset, ...button.closest(".field").dataset };
  $("#seen").textContent = `${box?.dataset.lead}`;
  $("#shown .cards").replaceChildren();
  read.clear();
  box?.showModal();
  changed();
  film(`count=${count}`, MOST, 1200, (answer) => fill(title, answer));
});
on("change", "[data-photo]", async (input) => {
  const { title, count } = { ...input.form.dataset, ...input.closest(".field").dataset };
  const frame = await frameOf(input.files[0], MOST).catch(() => null);
  input.value = "";
  if (!frame) return say(video.dataset.nothing);
  fill(title, await post(`frame?count=${count}&new&photo`, frame));
});
on("change", ".choice input", (input) => input.removeAttribute("aria-description"));
on("click", "[data-done]", end);
box?.addEventListener("close", end);
document.addEventListener("visibilitychange", () => box && document.hidden && end());

on("click", "#lens", async (button) => {
  const { start, stop } = button.dataset;
  say();
  if (stream) return end();
  button.textContent = stop;
  await film("", 1280, 720, ({ answer, told, seen }) => {
    if (answer !== "done") say(told);
    $("#seen").textContent = seen || `${video.dataset.nothing}`;
  });
  button.textContent = start;
});
