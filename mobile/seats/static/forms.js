// A form is a step of the game: it is filled by touches, and its button says what it will do.
import { $, $$, body, inputs, on, post, say } from "./page.js";
import { byArrow, changed } from "./touches.js";

/** @type {(form: HTMLElement) => HTMLElement[]} */
const fieldsOf = (form) => $$(".field", form);
/** @type {(one: HTMLElement) => string} */
const wordOf = (one) =>
  `${($(".sr, .word", one.closest(".choice") ?? one) ?? one).textContent}`.trim();
/** @type {(input: HTMLInputElement) => number} */
const orderOf = (input) => Number(input.dataset.order ?? 0);
/** @type {(field: HTMLElement) => HTMLInputElement[]} */
const chosen = (field) => inputs(field, ":checked").sort((a, b) => orderOf(a) - orderOf(b));
let order = 0;

/** @type {(field: HTMLElement) => string | number[]} */
const valueOf = (field) =>
  field.dataset.kind === "text"
    ? inputs(field)[0].value
    : chosen(field).map((input) => Number(input.value));
/** @type {(form: HTMLElement) => { do: string, step: number, values: (string | number[])[] }} */
export const filled = (form) => ({
  do: "step",
  step: Number(form.dataset.step),
  values: fieldsOf(form).map(valueOf),
});

/** @type {(input: HTMLInputElement, isOn: boolean) => void} */
function choose(input, isOn) {
  input.checked = isOn;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @type {(form: HTMLFormElement) => void} */
export function mark(form) {
  const several = $$(".field[data-kind=several]", form);
  for (const field of several) {
    const taken = chosen(field);
    for (const input of inputs(field, "[value]"))
      input.parentElement?.setAttribute("data-place", `${taken.indexOf(input) + 1 || ""}`);
    $(".count [aria-live]", field).textContent = `${taken.length}`;
  }
  const isFull =
    filled(form).values.every((value) => value.length) &&
    several.every((field) => chosen(field).length >= Number(field.dataset.count));
  const { title, keep, step } = form.dataset;
  const button = $("button[type=submit]", form);
  button.textContent = isFull ? keep || `${title}` : `${title} …`;
  button.className = isFull ? "primary" : "act"; // it is lit when it says all that it will do
  for (const thing of $$(`[data-adds][data-step="${step}"]`))
    thing.ariaPressed = `${meantBy(thing).every((input) => input.checked)}`;
  if (form.matches(".blanks")) fill(form);
  if (isFull && !keep) speak(form, button);
}

// What it will do, in the words of the referee.
/** @type {(form: HTMLElement, button: HTMLElement) => Promise<void>} */
async function speak(form, button) {
  const sent = filled(form);
  const { text } = await post("says", sent);
  if (text && JSON.stringify(filled(form)) === JSON.stringify(sent)) button.textContent = text;
}

// A sentence shows what is chosen in its blanks, and below it the choices of one of them.
/** @type {(form: HTMLElement, wanted?: number) => void} */
function fill(form, wanted = -1) {
  const fields = fieldsOf(form);
  const taken = fields.map((field) => inputs(field, ":checked")[0]);
  const last = Math.max(0, fields.indexOf($(".field.active", form)));
  const next = taken.findIndex((input) => !input);
  const active = wanted >= 0 ? wanted : taken[last] && next >= 0 && !byArrow ? next : last;
  const isLeft = active !== last && fields[last].contains(document.activeElement);
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

on("click", "[data-blank]", ({ form, dataset: { blank } }) => {
  const both = inputs(fieldsOf(form)[blank]);
  if (both.length !== 2 || both.every((input) => !input.checked)) return fill(form, Number(blank));
  choose(both[both[0].checked ? 1 : 0], true); // of two choices a touch takes the other
  changed();
});

on("change", ".step .choice input", (input) => {
  const field = input.closest(".field");
  const { kind, count } = field.dataset;
  if (input.checked) input.dataset.order = `${(order += 1)}`;
  if (kind === "several" && Number(count))
    for (const first of chosen(field).slice(0, -count)) first.checked = false;
  mark(input.form);
  say(); // it was about what was chosen before
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
  const sent = { ...filled(form), field: fieldsOf(form).indexOf(field), keys };
  const answer = await post("keys", sent);
  const input = /** @type {HTMLInputElement?} */ (document.getElementById(id)); // news may have come
  if (own !== pressed || !input?.form) return;
  $(".trouble", input.form).textContent = answer.told ?? "";
  input.value = answer.text ?? input.value;
  mark(input.form);
});

// -- things on the table: each says some of what a step still has to be told ----------------------

/** @type {(thing: HTMLElement) => any[]} The choices that it means. */
const meantBy = ({ dataset: { settled } }) => (settled ? $$(settled) : []);

on("click", "[data-settled]", (thing) => {
  const form = $(`#step${thing.dataset.step}`);
  const isAdded = "adds" in thing.dataset;
  const isSentence = form.matches(".blanks");
  if (form.closest("#rail") && !form.offsetParent) $("[data-rail]").click(); // no form stood there
  for (const fold of $$(`details:has(#${form.id})`)) fold.setAttribute("open", "");
  for (const input of meantBy(thing)) {
    choose(input, !isAdded || !input.checked);
    if (!isAdded && !isSentence) input.closest(".field").classList.add("settled");
  }
  if (isAdded) return;
  form.scrollIntoView({ block: "nearest" });
  const open = isSentence ? ".field.active input" : ".field:not(.settled) input";
  $(open, form)?.focus({ preventScroll: true });
});
on("click", "[data-rail]", (button) => {
  button.ariaExpanded = `${body.classList.toggle("railed")}`;
  changed();
});

// -- what was entered or unfolded stays when something else happens -------------------------------

const KEPT = "details[data-fold], .step .field input:not([type=file]), [data-key], #line";
/** @type {(one: any) => string} By its words, because numbers change. */
const keyOf = (one) =>
  one.dataset.fold ??
  [one.form.dataset.title, fieldsOf(one.form).indexOf(one.closest(".field")), wordOf(one)].join();

/** @type {(part: HTMLElement) => Map<string, any>} */
export const entered = (part) => new Map($$(KEPT, part).map((one) => [keyOf(one), one]));

/** @type {(part: HTMLElement, was?: Map<string, any>) => void} */
export function enter(part, was = new Map()) {
  for (const one of /** @type {any[]} */ ($$(KEPT, part))) {
    const old = was.get(keyOf(one)) ?? {};
    if (old.open) one.open = true;
    if (old.type === "text") one.value = old.value;
    if (old.ariaPressed === "true") one.ariaPressed = "true";
    if (old.checked) [one.checked, one.dataset.order] = [true, old.dataset.order ?? ""];
  }
  for (const form of $$("form.step:has(.field)", part)) mark(/** @type {HTMLFormElement} */ (form));
  // The style sheet lets them move; a name that it could read from the card itself is Chromium's.
  for (const card of $$("[data-moves]", part))
    card.style.setProperty("--moves", `${card.dataset.moves}`);
}
