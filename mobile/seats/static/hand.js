// Cards are shown to the phone's camera, or chosen as a photo: what is read fills the form in.
import { begin, read } from "./aloud.js";
import { camera, frameOf, stop } from "./camera.js";
import { fieldsOf, mark } from "./forms.js";
import { $, $$, inputs, on, post, say } from "./page.js";
import { changed } from "./touches.js";

const MOST = 1600;
const box = /** @type {HTMLDialogElement} */ ($("#shown"));
const video = /** @type {HTMLVideoElement} */ ($("#shown video"));
/** @type {MediaStream?} */
let stream = null;
let job = 0; // a job is one showing: what is answered after its end is dropped

// A form may have been drawn anew meanwhile: it is found by its title, a field by its place.
/** @typedef {() => HTMLElement | undefined} Finder */
/** @type {(inside: HTMLElement) => Finder} */
function finderOf(inside) {
  const form = /** @type {HTMLFormElement} */ (inside.closest("form"));
  const place = fieldsOf(form).findIndex((field) => field.contains(inside));
  return () => {
    const now = $$("form.step").find((one) => one.dataset.title === form.dataset.title);
    return now && fieldsOf(now)[place];
  };
}

// What is sure is chosen, what is doubtful stands out and is chosen by a touch.
/** @type {(field: HTMLElement, seen: { sure: string[], doubtful: string[] }) => boolean} */
function fill(field, { sure, doubtful }) {
  const total = Number(field.dataset.count);
  const taken = sure.slice(0, total || sure.length);
  const unsure = [...sure.slice(taken.length), ...doubtful];
  for (const input of inputs(field, "[data-card]")) {
    const { card = "" } = input.dataset;
    input.checked = taken.includes(card);
    delete input.dataset.order;
    input.ariaDescription = unsure.includes(card) ? `${box.dataset.doubtful}` : null;
  }
  mark(/** @type {HTMLElement} */ (field.closest("form")));
  read($$(".choice:has(input:checked) .sr", field).map((one) => `${one.textContent}`));
  return total > 0 && taken.length === total && !unsure.length;
}

/** @type {(field: HTMLElement) => void} */
function tell(field) {
  const seen = $$(".choice:has(input:checked, [aria-description])", field);
  const lead = $("input:checked", field) ? "" : box.dataset.lead;
  $(".count", box).textContent = `${$(".count", field).textContent} ${lead}`;
  $(".cards", box).replaceChildren(
    ...seen.map((choice) => {
      const copy = /** @type {HTMLElement} */ ($(".card", choice).cloneNode(true));
      const { ariaDescription } = inputs(choice)[0];
      copy.classList.toggle("doubtful", ariaDescription !== null);
      const ariaLabel = `${$(".sr", choice).textContent} ${ariaDescription ?? ""}`;
      return Object.assign(copy, { role: "img", ariaHidden: null, ariaLabel });
    }),
  );
}

function end() {
  job += 1;
  stop(stream);
  stream = video.srcObject = null;
  if (box.open) box.close();
}

/** @type {(find: Finder) => void} */
function leadTo(find) {
  changed();
  const form = find()?.closest("form");
  if (form) $("button[type=submit]", form).scrollIntoView({ block: "nearest" });
}

on("click", "[data-show]", async (button) => {
  const own = (job += 1);
  const find = finderOf(button);
  const { count } = button.closest(".field").dataset;
  stream = await camera(MOST, 1200);
  if (!stream) return say(box.dataset.refused);
  if (own !== job) return end();
  video.srcObject = stream;
  begin();
  box.showModal();
  changed();
  tell(button.closest(".field"));
  await video.play().catch(() => null); // it was left meanwhile
  for (let asked = "new"; own === job; asked = "") {
    const answer = await post(`frame?count=${count}&${asked}`, await frameOf(video, MOST));
    const field = find();
    if (own !== job || !field) break;
    if (answer.answer === "refused") say(answer.told);
    if (answer.answer === "refused") break;
    if (answer.answer !== "done") continue;
    if (fill(field, /** @type {any} */ (answer))) break;
    tell(field);
  }
  if (own !== job) return;
  end();
  leadTo(find);
});

on("change", "[data-photo]", async (input) => {
  const find = finderOf(input);
  const { count } = input.closest(".field").dataset;
  const image = await createImageBitmap(input.files[0]).catch(() => null);
  input.value = "";
  say(image ? "" : box.dataset.nothing);
  if (!image) return;
  const answer = await post(`frame?count=${count}&new&photo`, await frameOf(image, MOST));
  const field = find();
  if (answer.answer !== "done" || !field) return say(answer.told);
  fill(field, /** @type {any} */ (answer));
  if (!answer.sure.length) say(box.dataset.nothing);
  leadTo(find);
});

on("change", ".choice input", (input) => input.removeAttribute("aria-description"));
on("click", "[data-done]", () => box.close());
box?.addEventListener("close", end);
document.addEventListener("visibilitychange", () => box && document.hidden && end());
