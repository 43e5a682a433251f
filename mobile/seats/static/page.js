// What every page needs: finding things, saying something, asking the table.

/** @typedef {{ answer?: string, told?: string, html?: string, [more: string]: any }} Answer */

export const { body } = document;
const base = body.dataset.page === "table" ? "/table" : location.pathname.replace(/\/$/, "");

/** @type {(selector: string, root?: ParentNode) => HTMLElement} */
export const $ = (selector, root = document) => /** @type {any} */ (root.querySelector(selector));
/** @type {(selector: string, root?: ParentNode) => HTMLElement[]} */
export const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
/** @type {(root: ParentNode, filter?: string) => HTMLInputElement[]} */
export const inputs = (root, filter = "") => Array.from(root.querySelectorAll(`input${filter}`));
/** @type {(ms: number) => Promise<void>} */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** @type {(text?: string) => void} */
export const say = (text = "") => $("#told")?.replaceChildren(text);
/** @type {(isLost: boolean) => void} */
export const line = (isLost) => void $("#status").classList.toggle("lost", isLost);
/** @type {(path: string) => string} The address of something that this page asks for. */
export const at = (path) => (path.startsWith("/") ? path : `${base}/${path}`);
export const stayOn = () => navigator.wakeLock?.request("screen").catch(() => null);

/** @type {(text: string) => void} Aloud, for players who cannot see the cards. */
export function speak(text) {
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  globalThis.speechSynthesis?.speak(words);
}

/** @type {(kind: string, selector: string, work: (found: any, event: any) => void) => void} */
export const on = (kind, selector, work) =>
  document.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found) work(found, event);
  });
on("submit", "form:not([method=dialog])", (_form, event) => event.preventDefault());

/**
 * Sends something to the table; so many times while no answer comes.
 * @type {(path: string, content: object, tries?: number) => Promise<Answer>}
 */
export async function post(path, content, tries = 1) {
  const sent = { state: Number(body.dataset.state), ...content };
  const json = { type: "application/json" };
  try {
    const answer = await fetch(at(path), {
      method: "POST",
      body: content instanceof Blob ? content : new Blob([JSON.stringify(sent)], json),
      cache: "no-store",
      signal: AbortSignal.timeout(8000),
    });
    line(false);
    return await answer.json();
  } catch {
    line(true);
  }
  if (tries <= 1) return { answer: "lost", told: $("#status .lost").textContent };
  await pause(1500);
  return post(path, sent, tries - 1);
}
