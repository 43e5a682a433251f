// A page shows what the table sends, and does what is touched. No framework.
import { enter, entered, values } from "./forms.js";
import { move } from "./motion.js";
import { $, $$, base, body, go, inputs, line, on, pause, post, say } from "./page.js";
import { loadPad, openPad } from "./pad.js";
import { changed } from "./touches.js";

const { page } = body.dataset;
const { title } = document;
/** @type {(html: string) => string} As the browser writes it. */
const parsed = (html) =>
  Object.assign(document.createElement("template"), { innerHTML: html }).innerHTML;
// What came with the page is not put there again: a finger may be on it.
/** @type {Record<string, string>} */
const shown = Object.fromEntries($$("section[id]").map((part) => [part.id, part.innerHTML]));
/** @type {EventSource} */
let source;
let heard = 0;
let news = 0;
let isBusy = false;
let refusedAt = -1;

// -- what the table sends --------------------------------------------------------------------

/** @type {(part: HTMLElement, html: string) => void} */
export function replace(part, html) {
  const spots = () => $$("summary, button, input, select, textarea, a", part);
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const spot = spots().indexOf(focused);
  const folds = $$("details[open]", part).map((fold) => fold.dataset.fold);
  const filled = entered(part);
  const [at, middle] = [scrollY, innerHeight / 2];
  const looked = $$("main > *").find(
    (one) => at > 0 && one.getBoundingClientRect().bottom > middle,
  );
  const top = looked?.getBoundingClientRect().top ?? 0;
  part.innerHTML = html;
  enter(part, filled);
  for (const fold of $$("details", part)) {
    if (folds.includes(fold.dataset.fold)) fold.setAttribute("open", "");
  }
  if (spot >= 0) {
    const there = document.getElementById(focused.id) ?? spots()[spot];
    const isSame = part.id !== "do" || there?.textContent === focused.textContent;
    if (isSame) there?.focus({ preventScroll: true });
    // What was done is no longer offered: a listener goes on from what is said now.
    if (document.activeElement === body) $("#now").focus({ preventScroll: true });
  }
  // What is looked at stays where it is, whatever grows or shrinks above it.
  scrollTo(0, looked ? scrollY + looked.getBoundingClientRect().top - top : at);
}

/** @type {(sent: { state: number, mine: boolean, parts: Record<string, string> }) => void} */
function show({ state, mine, parts }) {
  if (state > refusedAt && !isBusy) say(); // it was about what was before
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
  document.title = (mine ? "● " : "") + title;
  if (!document.hidden) openPad();
}

function leave() {
  body.dataset.gone = ""; // the seat is free: what this page asks for is refused
  source.close();
  location.reload();
}

function listen() {
  if ("gone" in body.dataset) return;
  source?.close();
  source = new EventSource(`${base}/events`);
  const hear = () => {
    heard = Date.now();
    line(false);
  };
  heard = Date.now();
  source.addEventListener("tick", hear);
  source.addEventListener("gone", leave);
  source.addEventListener("error", () => line(true));
  source.addEventListener("page", (event) => {
    hear();
    news += 1;
    const sent = JSON.parse(event.data);
    move(() => show(sent), "table" in sent.parts || "hand" in sent.parts);
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
  if (text && !text.includes(`data-page="${page}"`)) leave();
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
  return new Promise((done) => {
    box.onclose = () => {
      changed();
      done(box.returnValue === "yes");
    };
  });
}

/** @type {(content: object, button: HTMLElement) => Promise<void>} */
async function act(content, button) {
  if (isBusy) return;
  isBusy = true;
  say();
  button.ariaBusy = "true";
  const before = news;
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const request = { key, state: Number(body.dataset.state), ...content };
  let answer = await post("act", request, 120);
  if (answer.answer === "ask" && (await ask(answer.told)))
    answer = await post("act", { ...request, sure: true }, 120);
  // What it made of the page comes by the stream; one that has fallen silent is opened anew.
  const isComing = () => news === before && ["done", "stale"].includes(`${answer.answer}`);
  for (let left = 20; left && isComing(); left -= 1) await pause(50);
  if (isComing()) listen();
  button.removeAttribute("aria-busy");
  isBusy = false;
  refusedAt = Number(answer.state ?? body.dataset.state);
  if (["done", "ask"].includes(`${answer.answer}`)) return;
  say(answer.told);
  $("#told").scrollIntoView({ block: "nearest" });
}

/** @type {(from: HTMLFormElement | HTMLButtonElement) => Promise<void>} */
async function call(from) {
  const { call: path, sent, sure } = from.dataset;
  if (sure && !(await ask(sure))) return;
  const fields = from instanceof HTMLFormElement ? Object.fromEntries(new FormData(from)) : {};
  const answer = await post(`${path}`, { ...JSON.parse(sent ?? "{}"), ...fields });
  say(answer.told);
  if (answer.go) return go(answer.go);
  for (const input of inputs(from, "[type=password]")) input.value = "";
  if (answer.html) $("#invitation").innerHTML = answer.html;
  if (answer.html) $("#invitation").scrollIntoView({ block: "nearest" });
  else loadPad();
}

on("submit", "form:not([method=dialog])", (_form, event) => event.preventDefault());
on("submit", ".step", (form, { submitter }) => {
  const filled = { step: Number(form.dataset.step), values: values(form) };
  act({ do: "step", ...filled }, submitter ?? form);
});
on("submit", ".typed", (form) => {
  act({ do: "type", line: inputs(form)[0].value }, $("button", form));
  form.reset();
});
on("click", "[data-act]", (button) => act(JSON.parse(button.dataset.act), button));
on("click", "button[data-call]", call);
on("submit", "form[data-call]", call);
on("click", "[data-why]", (button) => say(button.dataset.why));

// -- covering --------------------------------------------------------------------------------

const stayOn = () => navigator.wakeLock?.request("screen").catch(() => null);

/** @type {(isOn: boolean) => void} */
function cover(isOn) {
  changed();
  body.classList.toggle("covered", isOn);
  $("#cover").hidden = !isOn;
  if (isOn) /** @type {HTMLDialogElement?} */ ($("dialog[open]"))?.close("");
  else stayOn();
}

on("click", "#cover button", (button) => {
  cover(false);
  document.getElementById(button.dataset.to)?.scrollIntoView();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return page === "seat" && cover(true);
  listen();
  openPad();
  if (page === "table") stayOn();
});
addEventListener("pagehide", () => page === "seat" && cover(true));
addEventListener("online", listen);
enter(document.body);
listen();
setInterval(watch, 3000);
openPad();
stayOn();
