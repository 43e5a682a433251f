// What a page knows, said aloud for players who cannot see the cards.
import { $, $$, on } from "./page.js";

let isOn = false;
/** @type {Set<string>} */
let said = new Set();

/** @type {(text: string) => void} */
function speak(text) {
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  globalThis.speechSynthesis?.speak(words);
}

/** @type {(one: HTMLElement) => string} What a thing is called, without what can be done. */
const nameOf = (one) => `${one.textContent}`.split(":")[0].replace("›", "").trim();
/** @type {(place: HTMLElement) => string} */
const cardsOf = (place) => $$(".card:not(.back) + .sr", place).map(nameOf).join(", ");

on("click", "[data-aloud=hand]", (button) => {
  const own = $$(".place[data-own]").map(cardsOf).filter(Boolean);
  speak(own.join(". ") || button.dataset.none);
});
on("click", "[data-aloud=table]", () => {
  const others = $$(".place:not([data-own])").map((place) =>
    [nameOf($("h3", place)), cardsOf(place)].filter(Boolean).join(": "),
  );
  speak([$("#now .headline").textContent, ...others].join(". "));
});
on("click", "[data-aloud=camera]", (button) => {
  isOn = !isOn;
  button.ariaPressed = `${isOn}`;
});

// Each card once, when it is read; a new hand begins anew.
export const begin = () => void (said = new Set());
/** @type {(cards: string[]) => void} */
export function read(cards) {
  for (const name of cards.filter((one) => isOn && !said.has(one))) {
    said.add(name);
    speak(name);
  }
}
