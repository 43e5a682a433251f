// What happens on the table is seen: a card goes from where it was to where it is.
import { $$, body } from "./page.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Map<string, number>} A number for each card that was ever shown. */
const numbers = new Map();
let isDue = false;

/** Each card that is there once is known again; of equal ones nobody can tell which is which. */
function name() {
  /** @type {Map<number, HTMLElement?>} */
  const once = new Map();
  for (const card of $$(".place .card:not(.back, .free *)")) {
    const shown = `${card.nextElementSibling?.textContent}`;
    const number = numbers.get(shown) ?? numbers.size;
    numbers.set(shown, number);
    once.set(number, once.has(number) ? null : card);
    card.style.viewTransitionName = "none";
  }
  for (const [number, card] of once) if (card) card.style.viewTransitionName = `card-${number}`;
}

/**
 * Changes the page; in order, though a change that is seen waits for the next picture.
 * @type {(change: () => void, isSeen: boolean) => void}
 */
export function move(change, isSeen) {
  // What moves lies above everything else: nothing does so on a page that is covered.
  const isUnseen = document.hidden || body.classList.contains("covered");
  const isCalm = calm.matches || !("startViewTransition" in document);
  if (!isDue && (isCalm || isUnseen || !isSeen)) return change();
  name();
  isDue = true;
  const transition = document.startViewTransition(() => {
    isDue = false;
    change();
    name();
  });
  transition.ready.catch(() => {}); // left out, where the next change comes too soon
}
