"use strict";  // What a page knows, said aloud for players who cannot see the cards.
(() => {
  const { $, $$ } = globalThis.seat;
  let isOn = false, said = new Set();

  function speak(text) {
    const words = new SpeechSynthesisUtterance(text);
    words.lang = document.documentElement.lang;
    globalThis.speechSynthesis?.speak(words);
  }

  const names = (place) => $$(".card:not(.back) + .sr", place).map((one) => one.textContent.split(":")[0]).join(", ");
  const heading = (place) => $("h3", place).textContent.split(":")[0].replace("›", "").trim();

  function hand(button) {
    const own = $$(".place[data-own]").map(names).filter(Boolean);
    speak(own.join(". ") || button.dataset.none);
  }

  function table() {
    const others = $$(".place:not([data-own])").map((place) => [heading(place), names(place)].filter(Boolean).join(": "));
    speak([$("#now .headline").textContent, ...others].join(". "));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-aloud]");
    if (!button) return;
    if (button.dataset.aloud === "hand") hand(button);
    else if (button.dataset.aloud === "table") table();
    else { isOn = !isOn; button.setAttribute("aria-pressed", isOn); }
  });

  // Each card once, when it is read; a new hand begins anew.
  globalThis.aloud = {
    begin: () => { said = new Set(); },
    read: (cards) => {
      for (const name of cards.filter((one) => isOn && !said.has(one))) { said.add(name); speak(name); }
    },
  };
})();
