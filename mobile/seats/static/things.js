"use strict";  // What is touched beside forms: things, keys that make a text, the player's note and PIN.
(() => {
  const { $, $$, act, mark, post, say, values, loadPad } = globalThis.seat, body = document.body;

  const choose = (input, on) => { input.checked = on; input.dispatchEvent(new Event("change", { bubbles: true })); };
  // A thing that is touched says what it can: all of it, or the rest is asked.
  function touch(button, data) {
    const pairs = data.settled.split(" ").filter(Boolean).map((pair) => pair.split(":").map(Number));
    if ("whole" in data) { act({ do: "step", step: Number(data.step), values: pairs.map(([, choice]) => [choice]) }, button); return; }
    const form = document.getElementById(`step${data.step}`), fields = $$(".field", form);
    if (form.closest("#rail") && !form.offsetParent) $("[data-rail]").click();  // the table's screen shows no form before
    for (let fold = form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    for (const [place, choice] of pairs) {
      const input = $(`input[value="${choice}"]`, fields[place]);
      choose(input, "adds" in data ? !input.checked : true);
      if ("adds" in data) button.setAttribute("aria-pressed", input.checked); else if (!form.matches(".blanks")) fields[place].classList.add("settled");
    }
    if ("adds" in data) return;
    form.scrollIntoView({ block: "nearest" });
    $(form.matches(".blanks") ? ".field.active input" : ".field:not(.settled) input", form)?.focus({ preventScroll: true });
  }
  let pressed = 0;
  async function press(key) {
    const job = pressed += 1;  // of two answers the later touch's stands, whichever comes first
    key.setAttribute("aria-pressed", key.getAttribute("aria-pressed") !== "true");
    const field = key.closest(".field"), form = field.closest("form"), { id } = $("input", field);
    const keys = $$("[data-group]", field).map((group) => $$("[data-key]", group).flatMap((one, k) => one.getAttribute("aria-pressed") === "true" ? [k] : []));
    const answer = await post("/keys", { state: Number(body.dataset.state), step: Number(form.dataset.step), field: $$(".field", form).indexOf(field), keys });
    const input = document.getElementById(id), there = input?.closest(".field");  // news may have come
    if (job !== pressed || !there) return;
    $(".trouble", there).textContent = answer.told || "";
    if ("text" in answer) { input.value = answer.text; mark(there); }
  }

  // A form that is filled says on its button what it will do, in the words of the referee.
  async function speak(form) {
    const filled = values(form), request = { state: Number(body.dataset.state), step: Number(form.dataset.step), values: filled };
    const { text } = await post("/says", request);
    if (text && form.isConnected && JSON.stringify(values(form)) === JSON.stringify(filled)) $("button[type=submit]", form).textContent = text;
  }
  // A sentence shows what is chosen in its blanks, and below it the choices of one of them.
  function fill(form) {
    const fields = $$(".field", form), blanks = $$(".blank", form);
    const chosen = fields.map((field) => $("input:checked", field));
    const at = Number(form.dataset.active ?? -1), next = chosen.findIndex((one) => !one);
    const active = at < 0 || (chosen[at] && !("stays" in form.dataset)) ? (next < 0 ? Math.max(at, 0) : next) : at;
    form.dataset.active = active;
    for (const blank of blanks) {
      const place = Number(blank.dataset.blank), input = chosen[place], title = blank.dataset.title;
      blank.textContent = input ? input.dataset.said || $(".word, .sr", input.closest(".choice")).textContent : "…";
      blank.setAttribute("aria-label", input ? `${title}: ${blank.textContent}` : title);
      blank.setAttribute("aria-expanded", place === active);
    }
    fields.forEach((field, place) => field.classList.toggle("active", place === active));
  }
  function open(blank) {
    const form = blank.closest("form"), both = $$("input", $$(".field", form)[blank.dataset.blank]);
    const other = both.length === 2 && both.some((one) => one.checked) && both.find((one) => !one.checked);
    if (other) { choose(other, true); touches.changed(); return; }  // of two choices a touch takes the other
    Object.assign(form.dataset, { active: blank.dataset.blank, stays: "" });
    fill(form);
    delete form.dataset.stays;
  }
  $$("form.blanks").forEach(fill);
  document.addEventListener("marked", (event) => {
    if (event.target.matches(".blanks")) fill(event.target);
    if (event.detail) speak(event.target);
  });

  async function unlock(form) {
    const answer = await post("/unlock", { pin: $("input", form).value });
    $("input", form).value = "";
    say(answer.told);
    if (answer.answer === "done") loadPad();
  }

  // A note is kept a moment after the last letter, and when the page is left. Until it is, no news
  // replace it.
  const note = $("#note");
  let timer = 0;
  async function keep() {
    clearTimeout(timer);
    if (!note || !("busy" in note.dataset)) return;
    const text = $("textarea", note).value, match = Number(note.dataset.match), answer = await post("/note", { text, match }, 40);
    if (answer.answer !== "done") say(answer.told);
    else if (text === $("textarea", note).value) delete note.dataset.busy;
  }
  note?.addEventListener("input", () => { note.dataset.busy = ""; clearTimeout(timer); timer = setTimeout(keep, 700); });
  document.addEventListener("visibilitychange", () => { if (document.hidden) keep(); });

  document.addEventListener("submit", (event) => { if (event.target.matches(".unlock")) unlock(event.target); });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    if (button && "blank" in button.dataset) open(button);
    if (button && "rail" in button.dataset) { button.setAttribute("aria-expanded", body.classList.toggle("railed")); touches.changed(); }
    if (button && "thing" in button.dataset) touch(button, button.dataset);
    if (button && "key" in button.dataset) press(button);
  });
})();
