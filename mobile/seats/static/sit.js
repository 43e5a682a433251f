"use strict";  // The public table: a short code is exchanged for the way to a seat. Its own screen: codes follow the network.
(() => {
  const form = document.getElementById("sit"), told = document.getElementById("told");
  const people = document.getElementById("people"), invitation = document.getElementById("invitation");

  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    let answer;
    try {
      answer = await (await fetch("/sit", {
        method: "POST", headers: { "Content-Type": "application/json" }, cache: "no-store",
        body: JSON.stringify({ short: form.querySelector("input").value }),
      })).json();
    } catch { answer = { told: document.body.dataset.lost }; }
    told.textContent = answer.told || "";
    if (answer.answer !== "done") { form.querySelector("input").select(); return; }
    const stays = new URL(answer.go, location.href).pathname === location.pathname;
    location.assign(answer.go);
    if (stays) location.reload();  // only the code has changed, for which no browser loads anything
  });

  // A code that is shown when the network changes leads nowhere: another one takes its place.
  let said = document.getElementById("notice")?.textContent;
  new MutationObserver(() => {
    const now = document.getElementById("notice")?.textContent, place = invitation.querySelector("[data-place]")?.dataset.place;
    if (now === said) return;
    said = now;
    const isFree = place && people.querySelector(`[data-invite="${place}"]`);
    if (!isFree) { invitation.textContent = ""; return; }
    globalThis.seat.post("/invite", { place }).then((answer) => { invitation.innerHTML = answer.html || ""; });
  }).observe(people, { childList: true });
})();
