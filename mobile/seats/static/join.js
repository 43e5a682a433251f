// A code out of the address's fragment, which no browser sends by itself, binds this phone or
// screen; a short code is exchanged for the way to a seat.
import { $, body, go, inputs, on, post, say } from "./page.js";

const code = location.hash.slice(1);
const { page } = body.dataset;
if (code) history.replaceState(null, "", location.pathname);

/** @type {(pin: string) => Promise<void>} */
async function join(pin) {
  const answer = await post("join", { code, pin });
  if (answer.answer === "done") return go(body.dataset.go ?? location.pathname);
  say(answer.told);
  if (answer.answer !== "pin") return;
  $("#pin").hidden = false;
  inputs($("#pin"))[0].value = "";
  inputs($("#pin"))[0].focus();
}

on("submit", "#join", (form, event) => {
  event.preventDefault();
  join(inputs(form)[0].value);
});
if (page === "table" && code) join("");
if (page === "join" && !code) {
  $("#join").hidden = true;
  say($("#told").dataset.none);
}

// -- codes on the table's own screen ---------------------------------------------------------
// A code that is shown when the network changes leads nowhere: another one takes its place. On a
// wide screen the code of the next free seat stands in the corner, made anew before it runs out.

const [people, corner, shown] = [$("#people"), $("#corner"), $("#invitation")];
let said = $("#notice")?.textContent;
let offered = "";

async function offer(isDue = true) {
  const { invite: place = "" } =
    $("#people [data-invite]:not([data-invite=camera])")?.dataset ?? {};
  const isWide = matchMedia("(min-width: 48rem)").matches;
  if (!isWide || document.hidden || (place === offered && !isDue)) return;
  offered = place;
  const answer = place && (await post("invite", { place, corner: true }));
  if (place === offered) corner.innerHTML = (answer && answer.html) || "";
}

function renew() {
  const now = $("#notice")?.textContent;
  const place = $("#invitation [data-place]")?.dataset.place;
  offer(now !== said);
  if (now === said) return;
  said = now;
  const free = place && $(`#people [data-invite="${place}"]`);
  if (free) free.click();
  else shown.replaceChildren();
}

if (corner) {
  offer();
  setInterval(offer, 100000);
  new MutationObserver(renew).observe(people, { childList: true });
}
