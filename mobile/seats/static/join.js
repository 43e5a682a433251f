"use strict";  // A code out of the address's fragment, which no browser sends by itself, binds this phone.
(() => {
  const base = location.pathname.replace(/\/$/, ""), code = location.hash.slice(1);
  const form = document.getElementById("join"), pin = document.getElementById("pin"), told = document.getElementById("told");
  const entry = pin.querySelector("input");
  history.replaceState(null, "", location.pathname);
  if (!code) { form.hidden = true; told.textContent = told.dataset.none; return; }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let answer;
    try {
      answer = await (await fetch(`${base}/join`, {
        method: "POST", headers: { "Content-Type": "application/json" }, cache: "no-store",
        body: JSON.stringify({ code, pin: entry.value }),
      })).json();
    } catch { answer = { told: document.body.dataset.lost }; }
    if (answer.answer === "done") { location.replace(document.body.dataset.go); return; }
    if (answer.answer === "pin") { pin.hidden = false; entry.value = ""; entry.focus(); }
    told.textContent = answer.told || "";
  });
})();
