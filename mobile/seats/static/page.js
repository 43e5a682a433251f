// What every page needs: finding things, saying something, asking the table.

/** @typedef {{ answer?: string, told?: string, html?: string, [more: string]: any }} Answer */

export const { body } = document;
export const base = body.dataset.page === "table" ? "/table" : location.pathname.replace(/\/$/, "");

/** @type {(selector: string, root?: ParentNode) => HTMLElement} */
export const $ = (selector, root = document) => /** @type {any} */ (root.querySelector(selector));
/** @type {(selector: string, root?: ParentNode) => HTMLElement[]} */
export const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
/** @type {(root: ParentNode, filter?: string) => HTMLInputElement[]} */
export const inputs = (root, filter = "") => Array.from(root.querySelectorAll(`input${filter}`));
/** @type {(ms: number) => Promise<void>} */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** @type {(text?: string) => void} */
export const say = (text) => $("#told")?.replaceChildren(text ?? "");

/** @type {(kind: string, selector: string, work: (found: any, event: any) => void) => void} */
export const on = (kind, selector, work) =>
  document.addEventListener(kind, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found) work(found, event);
  });

/** @type {(isLost: boolean) => void} */
export function line(isLost) {
  const { lost, found } = body.dataset;
  $("#status").classList.toggle("lost", isLost);
  if (lost && found) $("#status").textContent = isLost ? lost : found;
}

/**
 * Sends something to the table; so many times while no answer comes.
 * @type {(path: string, content: object, tries?: number) => Promise<Answer>}
 */
export async function post(path, content, tries = 1) {
  const json = { type: "application/json" };
  try {
    const answer = await fetch(path.startsWith("/") ? path : `${base}/${path}`, {
      method: "POST",
      body: content instanceof Blob ? content : new Blob([JSON.stringify(content)], json),
      cache: "no-store",
      signal: AbortSignal.timeout(8000),
    });
    return await answer.json();
  } catch {
    line(true);
  }
  if (tries <= 1) return { answer: "lost", told: body.dataset.lost };
  await pause(1500);
  return post(path, content, tries - 1);
}

/** @type {(path: string) => void} */
export function go(path) {
  const isHere = new URL(path, location.href).pathname === location.pathname;
  location.assign(path);
  if (isHere) location.reload(); // only the code has changed, for which no browser loads anything
}
