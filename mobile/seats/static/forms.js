// A form is a step of the game: it is filled by touches, and its button says what it will do.
import { $, $$, body, inputs, on, post } from "./page.js";
import { byArrow, changed } from "./touches.js";

/** @type {(form: HTMLElement) => HTMLElement[]} */
export const fieldsOf = (form) => $$(".field", form);
/** @type {(input: Element) => string} */
const wordOf = (input) => $(".sr, .word", input.closest(".choice") ?? document).textContent.trim();
/** @type {(input: HTMLInputElement) => number} */
const orderOf = (input) => Number(input.dataset.order ?? 0);
/** @type {(field: ParentNode) => HTMLInputElement[]} */
const chosen = (field) => inputs(field, ":checked").sort((a, b) => orderOf(a) - orderOf(b));
let order = 0;

/** @type {(form: HTMLElement) => (string | number[])[]} */
export const values = (form) =>
  fieldsOf(form).map((field) =>
    field.dataset.kind === "text"
      ? inputs(field)[0].value
      : chosen(field).map((input) => Number(input.value)),
  );

/** @type {(input: HTMLInputElement, isOn: boolean) => void} */
export function choose(input, isOn) {
  input.checked = isOn;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @type {(form: HTMLElement) => void} */
export function mark(form) {
  const several = $$(".field[data-kind=several]", form);
  for (const field of several) {
    for (const choice of $$(".choice", field)) delete choice.dataset.place;
    for (const [k, input] of chosen(field).entries())
      input.closest(".choice")?.setAttribute("data-place", `${k + 1}`);
    $(".count [aria-live]", field).textContent = `${chosen(field).length}`;
  }
  const isFull =
    values(form).every((value) => value.length) &&
    several.every((field) => chosen(field).length >= Number(field.dataset.count));
  const { title, keep } = form.dataset;
  const button = $("button[type=submit]", form);
  button.textContent = isFull ? keep || `${title}` : `${title} …`;
  button.className = isFull ? "primary" : "act"; // it is lit when it says all that it will do
  for (const thing of $$(`[data-adds][data-step="${form.dataset.step}"]`)) {
    const [place, choice] = `${thing.dataset.settled}`.split(":").map(Number);
    thing.ariaPressed = `${inputs(fieldsOf(form)[place], `[value="${choice}"]`)[0].checked}`;
  }
  if (form.matches(".blanks")) fill(form);
  if (isFull && !keep) speak(form, button);
}

// What it will do, in the words of the referee.
/** @type {(form: HTMLElement, button: HTMLElement) => Promise<void>} */
async function speak(form, button) {
  const sent = { step: Number(form.dataset.step), values: values(form) };
  const { text } = await post("says", { state: Number(body.dataset.state), ...sent });
  const isSame = JSON.stringify(values(form)) === JSON.stringify(sent.values);
  if (text && isSame) button.textContent = text;
}

// A sentence shows what is chosen in its blanks, and below it the choices of one of them.
/** @type {(form: HTMLElement, wanted?: number) => void} */
function fill(form, wanted = -1) {
  const fields = fieldsOf(form);
  const taken = fields.map((field) => inputs(field, ":checked")[0]);
  const last = Number(form.dataset.active ?? 0);
  const next = taken.findIndex((input) => !input);
  const active = wanted >= 0 ? wanted : taken[last] && next >= 0 && !byArrow ? next : last;
  const isLeft = active !== last && fields[last].contains(document.activeElement);
  form.dataset.active = `${active}`;
  for (const blank of $$(".blank", form)) {
    const place = Number(blank.dataset.blank);
    const said = taken[place] && (taken[place].dataset.said || wordOf(taken[place]));
    blank.textContent = said ?? "…";
    blank.ariaLabel = [blank.dataset.title, said].filter(Boolean).join(": ");
    blank.ariaExpanded = `${place === active}`;
  }
  fields.forEach((field, place) => field.classList.toggle("active", place === active));
  if (isLeft) $(`[data-blank="${active}"]`, form).focus({ preventScroll: true });
}

on("click", "[data-blank]", (blank) => {
  const form = blank.closest("form");
  const both = inputs(fieldsOf(form)[blank.dataset.blank]);
  const isTold = both.some((input) => input.checked);
  if (both.length !== 2 || !isTold) return fill(form, Number(blank.dataset.blank));
  choose(both[both[0].checked ? 1 : 0], true); // of two choices a touch takes the other
  changed();
});

on("change", ".step .choice input", (input) => {
  const { kind, count } = input.closest(".field").dataset;
  if (input.checked) input.dataset.order = `${(order += 1)}`;
  if (kind === "several" && Number(count))
    for (const first of chosen(input.closest(".field")).slice(0, -count)) first.checked = false;
  mark(input.form);
});
on("input", ".step input[type=text]", (input) => mark(input.form));
on("click", "[data-letter], [data-rub], [data-text]", (button) => {
  const [input] = inputs(button.closest(".field"));
  const { letter, text } = button.dataset;
  input.value = letter ? input.value + letter : (text ?? input.value.slice(0, -1));
  mark(button.form);
});

let pressed = 0;
on("click", "[data-key]", async (key) => {
  const own = (pressed += 1); // of two answers the later touch's stands, whichever comes first
  key.ariaPressed = `${key.ariaPressed !== "true"}`;
  const [field, form] = [key.closest(".field"), key.form];
  const { id } = inputs(field)[0];
  const keys = $$("[data-group]", field).map((group) =>
    $$("[data-key]", group).flatMap((one, k) => (one.ariaPressed === "true" ? [k] : [])),
  );
  const at = { step: Number(form.dataset.step), field: fieldsOf(form).indexOf(field) };
  const answer = await post("keys", { state: Number(body.dataset.state), ...at, keys });
  const input = /** @type {HTMLInputElement?} */ (document.getElementById(id)); // news may have come
  if (own !== pressed || !input?.form) return;
  $(".trouble", input.form).textContent = answer.told ?? "";
  if ("text" in answer) input.value = answer.text;
  mark(input.form);
});

// -- what was entered stays when something else happens --------------------------------------

/** @type {(part: HTMLElement) => any[]} */
const entries = (part) =>
  $$("form.step .field input:not([type=file]), form.step [data-key], #line", part);
/** @type {(one: any) => string} By its words, because numbers change. */
function keyOf(one) {
  const form = one.form;
  const word = one.closest(".choice") ? wordOf(one) : one.textContent;
  return [form.dataset.title, fieldsOf(form).indexOf(one.closest(".field")), word].join("|");
}

/** @type {(part: HTMLElement) => Map<string, any>} */
export function entered(part) {
  const isTold = (/** @type {any} */ one) =>
    one.type === "text" ? one.value : one.checked || one.ariaPressed === "true";
  return new Map(
    entries(part)
      .filter(isTold)
      .map((one) => [keyOf(one), one]),
  );
}

/** @type {(part: HTMLElement, was?: Map<string, any>) => void} */
export function enter(part, was = new Map()) {
  for (const one of entries(part)) {
    const old = was.get(keyOf(one));
    if (!old) continue;
    if (one.type === "text") one.value = old.value;
    else if (one.type === "button") one.ariaPressed = "true";
    else [one.checked, one.dataset.order] = [true, old.dataset.order ?? ""];
  }
  for (const form of $$("form.step:has(.field)", part)) mark(form);
}
