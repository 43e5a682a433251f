// Things on the table are touched: each says some of what a step still has to be told.
import { choose, fieldsOf } from "./forms.js";
import { $, body, inputs, on } from "./page.js";
import { changed } from "./touches.js";

on("click", "[data-settled]", (thing) => {
  const { step, settled, adds } = thing.dataset;
  const form = /** @type {HTMLFormElement} */ (document.getElementById(`step${step}`));
  if (form.closest("#rail") && !form.offsetParent) $("[data-rail]").click(); // no form stood there
  for (let at = form.parentElement; at; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  for (const pair of settled.split(" ").filter(Boolean)) {
    const [place, choice] = pair.split(":");
    const field = fieldsOf(form)[place];
    const [input] = inputs(field, `[value="${choice}"]`);
    choose(input, adds === undefined || !input.checked);
    if (adds === undefined && !form.matches(".blanks")) field.classList.add("settled");
  }
  if (adds !== undefined) return;
  form.scrollIntoView({ block: "nearest" });
  const open = form.matches(".blanks") ? ".field.active input" : ".field:not(.settled) input";
  $(open, form)?.focus({ preventScroll: true });
});

on("click", "[data-rail]", (button) => {
  button.ariaExpanded = `${body.classList.toggle("railed")}`;
  changed();
});
