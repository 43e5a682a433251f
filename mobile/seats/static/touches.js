// A touch counts only on what the person has had time to see.
// A second touch some 170 ms after the first would act on whatever has come into its place.

const USUAL = 400; // ms; two touches of a double touch are 50 to 350 ms apart
const LONGEST = 3000; // ms from a press to its click; a screen reader clicks without a press
let seenFrom = 0;
let pressed = 0;
let ignored = 0;
export let byArrow = false; // arrows go from choice to choice and choose each on their way

export function changed() {
  seenFrom = Infinity;
  requestAnimationFrame(() => {
    setTimeout(() => {
      seenFrom = performance.now() + Number(document.body.dataset.quiet || USUAL);
    });
  });
}

/** @type {(event: any) => any} */
const press = ({ timeStamp, key = "" }) =>
  ([pressed, byArrow] = [timeStamp, key.startsWith("Arrow")]);
addEventListener("pointerdown", press, true);
addEventListener("keydown", press, true);
addEventListener("close", changed, true); // of a dialog
addEventListener(
  "click",
  (event) => {
    const began = event.timeStamp - pressed < LONGEST ? pressed : event.timeStamp;
    if (!event.isTrusted || began >= seenFrom) return;
    ignored += 1;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

const isQuiet = () => performance.now() < seenFrom;
Object.assign(globalThis, { touches: { isQuiet, ignored: () => ignored } });
