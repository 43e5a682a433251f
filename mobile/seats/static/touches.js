"use strict";  // A touch counts only on what the person has had time to see.
// A second touch some 170 ms after the first would act on whatever has come into its place.
(() => {
  const usual = 400;  // ms; two touches of a double touch are 50 to 350 ms apart
  const longest = 3000;  // ms from a press to its click; a screen reader clicks without a press
  let seenFrom = 0;
  let pressed = 0;

  function changed() {
    seenFrom = Infinity;
    requestAnimationFrame(() => setTimeout(() => {
      seenFrom = performance.now() + Number(document.body.dataset.quiet || usual);
    }));
  }

  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, (event) => { pressed = event.timeStamp; }, true);
  }
  addEventListener("click", (event) => {
    const began = event.timeStamp - pressed < longest ? pressed : event.timeStamp;
    if (event.isTrusted && began < seenFrom) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);

  globalThis.touches = { changed, isQuiet: () => performance.now() < seenFrom };
})();
