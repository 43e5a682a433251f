// A page shows what the table sends, and does what is touched. No framework.
import { enter, entered, filled } from "./forms.js";
import { $, $$, at, body, inputs, line, on, pause, post, say, speak, stayOn } from "./page.js";
import { openPad } from "./pad.js";
import { changed } from "./touches.js";

/** @type {(html: string) => string} As the browser writes it. */
const parsed = (html) =>
  Object.assign(document.createElement("template"), { innerHTML: html }).innerHTML;
// What came with the page is not put there again: a finger may be on it.
/** @type {Record<string, string>} */
const shown = Object.fromEntries($$("section[id]").map((part) => [part.id, part.innerHTML]));
/** @type {EventSource} */
let source;
let [heard, news, refusedAt] = [0, 0, -1];

// -- what the table sends --------------------------------------------------------------------

/** @type {(part: HTMLElement, html: string) => void} */
export function replace(part, html) {
  const spots = () => $$("summary, button, input, select, textarea, a", part);
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const spot = spots().indexOf(focused);
  const was = entered(part);
  const middle = scrollY > 0 && document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  const looked = middle && middle.closest("main > *");
  const top = looked ? looked.getBoundingClientRect().top : 0;
  part.innerHTML = html;
  enter(part, was);
  if (spot >= 0) {
    const there = document.getElementById(focused.id) ?? spots()[spot];
    const isSame = part.id !== "do" || there?.textContent === focused.textContent;
    if (isSame) there?.focus({ preventScroll: true });
    // What was done is no longer offered: a listener goes on from what is said now.
    if (document.activeElement === body) $("#now").focus({ preventScroll: true });
  }
  // What is looked at stays where it is, whatever grows or shrinks above it.
  if (looked) scrollBy(0, looked.getBoundingClientRect().top - top);
}

/** @type {(sent: { state: number, mine: boolean, parts: Record<string, string> }) => void} */
function show({ state, mine, parts }) {
  if (state > refusedAt && !("busy" in body.dataset)) say(); // it was about what was before
  body.dataset.state = `${state}`;
  for (const [name, html] of Object.entries(parts)) {
    const part = document.getElementById(name);
    const now = parsed(html);
    if (!part || shown[name] === now) continue;
    shown[name] = now;
    replace(part, html);
    changed(); // whatever is on its way to this part, or to what it has moved
  }
  if (mine && !body.classList.contains("mine")) navigator.vibrate?.([80, 60, 80]);
  body.classList.toggle("mine", mine);
  document.title = (mine ? "● " : "") + document.title.replace("● ", "");
  if (!document.hidden) openPad();
}

function leave() {
  body.dataset.gone = ""; // the seat is free: what this page asks for is refused
  source.close();
  location.reload();
}

function hear() {
  heard = Date.now();
  line(false);
}

function listen() {
  if ("gone" in body.dataset) return;
  source?.close();
  source = new EventSource(at("events"));
  heard = Date.now();
  source.addEventListener("tick", hear);
  source.addEventListener("gone", leave);
  source.addEventListener("error", () => line(true));
  source.addEventListener("page", (event) => {
    hear();
    news += 1;
    const change = () => show(JSON.parse(event.data));
    if (!document.startViewTransition) return change();
    // What happens on the table is seen: the style sheet names the cards, which then move.
    document.startViewTransition(change).ready.catch(() => {}); // left out, where more comes soon
  });
}

/** A stream that was refused or fell silent: the seat may have been freed meanwhile. */
async function watch() {
  const isSilent = Date.now() - heard > 25000 || source.readyState === EventSource.CLOSED;
  if (document.hidden || "gone" in body.dataset || !isSilent) return;
  heard = Date.now();
  line(true);
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
  const text = answer?.ok ? await answer.text().catch(() => "") : "";
  if (text && !text.includes(`data-page="${body.dataset.page}"`)) leave();
  else listen();
}

// -- what is touched -------------------------------------------------------------------------

/** @type {(question?: string) => Promise<boolean>} */
function ask(question = "") {
  const box = /** @type {HTMLDialogElement} */ ($("#ask"));
  $("p", box).textContent = question;
  box.returnValue = "";
  box.showModal();
  changed();
  return new Promise((done) => (box.onclose = () => done(box.returnValue === "yes")));
}

/**
 * Sends what a form or a button says. What it makes of the page comes by the stream; one that has
 * fallen silent is opened anew.
 * @type {(from: HTMLElement, button?: HTMLElement) => Promise<void>}
 */
async function send(from, button = from) {
  if ("busy" in body.dataset) return;
  body.dataset.busy = "";
  say();
  button.ariaBusy = "true";
  const before = news;
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const { call: path = "act", sent = "{}", sure } = from.dataset;
  const fields = from instanceof HTMLFormElement ? new FormData(from) : [];
  const own = from.matches(".step") ? filled(from) : Object.fromEntries(fields);
  const request = { key, state: Number(body.dataset.state), ...JSON.parse(sent), ...own };
  for (const input of inputs(from, "[type=password], #line")) input.value = "";
  const tries = path === "act" ? 120 : 1;
  let answer = sure ? { answer: "ask", told: sure } : await post(path, request, tries);
  if (answer.answer === "ask" && (await ask(answer.told)))
    answer = await post(path, { ...request, sure: true }, tries);
  const isActed = path === "act" && ["done", "stale"].includes(`${answer.answer}`);
  const isComing = () => isActed && news === before;
  for (let left = 20; left && isComing(); left -= 1) await pause(50);
  if (isComing()) listen();
  button.removeAttribute("aria-busy");
  delete body.dataset.busy;
  refusedAt = Number(answer.state ?? body.dataset.state);
  if (from.closest("#pad")) openPad({});
  if (answer.html) $("#invitation").innerHTML = answer.html;
  if (!["done", "ask"].includes(`${answer.answer}`)) say(answer.told);
  const isOver = answer.answer === "done" && from.matches(".step"); // what follows is said above
  $(answer.html ? "#invitation" : isOver ? "#now" : "#told").scrollIntoView({ block: "nearest" });
}

on("submit", "form:not([method=dialog], #sit)", (form, { submitter }) => send(form, submitter));
on("click", "button[data-sent]", (button) => send(button));
on("click", "[data-why]", (button) => say(button.dataset.why));
on("click", ".sign", () => scrollTo(0, 0));
on("click", "[data-aloud]", (button) => speak(button.dataset.aloud));
on("click", "#aloud [aria-pressed]", (it) => (it.ariaPressed = `${it.ariaPressed !== "true"}`));

// -- what is left and taken up again -----------------------------------------------------------

const cover = /** @type {HTMLDialogElement?} */ ($("#cover"));

function hide() {
  if (!cover || cover.open) return;
  for (const box of $$("dialog[open]:not(#cover)")) /** @type {any} */ (box).close("");
  cover.showModal();
  changed();
}

cover?.addEventListener("cancel", (event) => event.preventDefault());
cover?.addEventListener("close", () => {
  document.getElementById(cover.returnValue)?.scrollIntoView();
  stayOn();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return hide();
  listen();
  openPad();
  if (!cover) stayOn();
});
addEventListener("pagehide", hide);
addEventListener("online", listen);
enter(document.body);
listen();
setInterval(watch, 3000);
openPad();
stayOn();
