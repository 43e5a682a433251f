"use strict";  // A page shows what the table sends and sends what is touched. No framework.
(() => {
  const body = document.body, page = body.dataset.page, title = document.title;
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const base = page === "table" ? "/table" : location.pathname.replace(/\/$/, "");
  const say = (text) => { if ($("#told")) $("#told").textContent = text || ""; };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const number = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

  async function post(path, content, tries = 1) {
    for (let left = tries; ; left -= 1) {
      try {
        const stop = new AbortController(), timer = setTimeout(() => stop.abort(), 8000);
        const answer = await fetch(base + path, {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify(content), cache: "no-store", signal: stop.signal,
        });
        clearTimeout(timer);
        return await answer.json();
      } catch (error) {
        lost();
        if (left <= 1) return { answer: "refused", told: body.dataset.lost || String(error) };
        await pause(1500);
      }
    }
  }

  // -- what the table sends -------------------------------------------------------------------
  let source = null, heard = 0, pages = 0, shown = {}, gone = false;
  function lost() { const s = $("#status"); s.className = "status lost"; if (body.dataset.lost) s.textContent = body.dataset.lost; }
  function found() { const s = $("#status"); s.className = "status"; if (body.dataset.found) s.textContent = body.dataset.found; }

  function swap(name, html) {
    const part = document.getElementById(name);
    if (!part || shown[name] === html) return;
    shown[name] = html;
    replace(part, html);
    if (["now", "eyes", "do"].includes(name)) touches.changed();
  }

  // What was entered stays when something else happens: by its words, because numbers change.
  const nameOf = (input) => $(".sr, .word", input.closest(".choice")).textContent.trim();
  function entered(field) {
    if (field.dataset.kind === "text") return [$("input", field).value, ...$$("[data-key]", field).map((key) => key.getAttribute("aria-pressed"))];
    return chosen(field).map(nameOf);
  }
  function enter(field, names) {
    if (!names.some(Boolean)) return;
    if (field.dataset.kind === "text") { $("input", field).value = names[0]; $$("[data-key]", field).forEach((key, k) => key.setAttribute("aria-pressed", names[k + 1])); }
    for (const input of $$(".choice input", field)) if (names.includes(nameOf(input))) { input.checked = true; input.order = order + names.indexOf(nameOf(input)); }
    order += names.length;
    mark(field);
  }

  function replace(part, html) {
    const folds = Object.fromEntries($$("[data-fold]", part).map((f) => [f.dataset.fold, f.open]));
    const was = part.contains(document.activeElement) ? document.activeElement : null, all = () => $$("summary, button, input, select, textarea, a", part), place = all().indexOf(was);
    const at = scrollY, middle = at > 0 && $$("main > *").find((one) => one.getBoundingClientRect().bottom > innerHeight / 2);
    const top = middle && middle.getBoundingClientRect().top, filled = $$("form.step", part).map((form) => [form.dataset.title, $$(".field", form).map(entered)]);
    const line = $("#line", part)?.value;
    part.innerHTML = html;
    if (line) $("#line", part).value = line;
    for (const [title, fields] of filled) {
      const form = $$("form.step", part).find((one) => one.dataset.title === title);
      if (form) $$(".field", form).forEach((field, place) => enter(field, fields[place] || []));
    }
    $$(".field", part).forEach(mark);
    for (const fold of $$("[data-fold]", part)) if (folds[fold.dataset.fold]) fold.open = true;
    if (was) (document.getElementById(was.id) || all().find((one) => was.name && one.name === was.name && one.value === was.value) || all()[place])?.focus({ preventScroll: true });
    // What is looked at stays where it is, whatever grows or shrinks above it.
    scrollTo(0, middle ? scrollY + middle.getBoundingClientRect().top - top : at);
  }

  let settling = 0;
  function settle() {  // a finger that is on its way does not hit what has just come there
    body.classList.add("moved");
    clearTimeout(settling);
    settling = setTimeout(() => body.classList.remove("moved"), 200);
  }

  function show(sent) {
    if (String(sent.state) !== body.dataset.state) settle();
    if (Number(sent.state) > refusedAt && !busy) say("");  // it was about what was before
    body.dataset.state = sent.state;
    for (const [name, html] of Object.entries(sent.parts)) swap(name, html);
    if ("eyes" in sent.parts) settle();
    const wasMine = body.dataset.mine === "yes";
    body.dataset.mine = sent.mine ? "yes" : "";
    body.classList.toggle("mine", !!sent.mine);
    document.title = (sent.mine ? "● " : "") + title;
    if (sent.mine && !wasMine) navigator.vibrate?.([80, 60, 80]);
    if (!document.hidden) openPad();
  }

  function listen() {
    if (gone) return;  // the seat is free: what this page asks for is refused
    if (source) source.close();
    source = new EventSource(base + "/events");
    heard = Date.now();
    source.addEventListener("page", (event) => { heard = Date.now(); found(); pages += 1; show(JSON.parse(event.data)); });
    source.addEventListener("tick", () => { heard = Date.now(); found(); });
    source.addEventListener("gone", () => { gone = true; source.close(); location.reload(); });
    source.onerror = lost;
  }
  // A stream that was refused: the seat may have been freed while the phone slept.
  async function again() {
    lost();
    const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (text && !text.includes(`data-page="${page}"`)) { gone = true; location.reload(); } else listen();
  }
  function watch() {
    listen();
    addEventListener("online", listen);
    setInterval(() => {
      if (document.hidden || gone) return;
      if (Date.now() - heard > 25000 || source.readyState === EventSource.CLOSED) { heard = Date.now(); again(); }
    }, 3000);
  }

  // -- what is touched ------------------------------------------------------------------------
  let busy = false, refusedAt = -1;
  async function act(content, button) {
    if (busy) return;
    busy = true;
    say("");
    if (button) button.setAttribute("aria-busy", "true");
    const request = { key: number(), state: Number(body.dataset.state), ...content }, seen = pages;
    let answer = await post("/act", request, 120);
    if (answer.answer === "ask" && await ask(answer.told)) answer = await post("/act", { ...request, sure: true }, 120);
    // What it made of the page comes by the stream; one that has fallen silent is opened anew.
    const isNews = ["done", "stale"].includes(answer.answer);
    for (let left = 20; left && isNews && pages === seen; left -= 1) await pause(50);
    if (isNews && pages === seen) listen();
    if (button) button.removeAttribute("aria-busy");
    busy = false;
    refusedAt = Number(answer.state ?? body.dataset.state);
    if (answer.answer === "refused" || answer.answer === "stale") { say(answer.told); $("#told")?.scrollIntoView({ block: "nearest" }); }
  }

  function ask(question) {
    const box = document.createElement("dialog");
    const text = document.createElement("p"), buttons = document.createElement("div");
    text.textContent = question; buttons.className = "plain";
    const make = (label, value, kind) => {
      const button = document.createElement("button");
      button.textContent = label; button.className = kind; button.addEventListener("click", () => box.close(value));
      buttons.append(button);
    };
    make(body.dataset.no, "", "act");
    make(body.dataset.yes, "yes", "primary");
    box.append(text, buttons);
    body.append(box); box.showModal(); touches.changed();
    return new Promise((done) => box.addEventListener("close", () => { const yes = box.returnValue === "yes"; box.remove(); touches.changed(); done(yes); }));
  }

  function values(form) {
    return $$(".field", form).map((field) => {
      if (field.dataset.kind === "text") return $("input", field).value;
      return chosen(field).map((input) => Number(input.value));
    });
  }

  let order = 0;
  function chosen(field) { return $$("input:checked", field).sort((a, b) => (a.order || 0) - (b.order || 0)); }
  function mark(field) {
    for (const label of $$(".choice", field)) delete label.dataset.place;
    if (field.dataset.kind === "several") {
      const taken = chosen(field);
      taken.forEach((input, place) => { input.closest(".choice").dataset.place = place + 1; });
      const total = Number(field.dataset.count), parts = (body.dataset.of || "# / #").split("#");
      $(".count", field).textContent = total ? parts[0] + taken.length + parts[1] + total + (parts[2] || "") : String(taken.length);
    }
    const form = field.closest("form"), button = $("button[type=submit]", form);
    const names = form.matches(".blanks") ? [] : $$("input:checked", form).map(nameOf);
    const text = $$("input[type=text]", form).map((input) => input.value).filter(Boolean);
    const full = $$(".field", form).every((one) => one.dataset.kind === "text" ? $("input", one).value : chosen(one).length >= Math.max(1, one.dataset.kind === "several" ? Number(one.dataset.count) : 1));
    button.textContent = full && form.dataset.keep || form.dataset.title + (names.length + text.length ? ": " + [...names, ...text].join(", ") : "") + (full ? "" : " …");
    button.className = full ? "primary" : "act";  // it is lit when it says all that it will do
    form.dispatchEvent(new CustomEvent("marked", { bubbles: true, detail: full && !form.dataset.keep }));
  }

  document.addEventListener("change", (event) => {
    const input = event.target, field = input.closest?.(".field");
    if (!field || !input.closest(".choice")) return;
    if (input.checked) input.order = order += 1;
    const total = Number(field.dataset.count);
    if (field.dataset.kind === "several" && total) {
      const taken = chosen(field);
      while (taken.length > total) taken.shift().checked = false;
    }
    mark(field);
  });
  document.addEventListener("input", (event) => { const field = event.target.closest?.(".field[data-kind=text]"); if (field) mark(field); });

  document.addEventListener("submit", (event) => {
    const form = event.target, button = event.submitter || $("button", form);
    event.preventDefault();
    if (form.matches(".step")) act({ do: "step", step: Number(form.dataset.step), values: values(form) }, button);
    else if (form.matches(".plainly")) act({ do: form.dataset.do }, button);
    else if (form.matches(".typed")) { act({ do: "type", line: $("input", form).value }, button); $("input", form).value = ""; }
    else if (form.matches(".letgo")) seatCall("/free", form);
    else if (form.matches(".agreefor")) seatCall("/agree", form);
  });
  async function seatCall(path, form) {
    if (form.dataset.sure && !await ask(form.dataset.sure)) return;
    const answer = await post(path, { seat: Number(form.dataset.seat), pin: $("input", form)?.value || "" });
    say(answer.told);
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button");
    if (!button) return;
    const field = button.closest(".field"), data = button.dataset;
    if (field && ("letter" in data || "rub" in data || "text" in data)) {
      const input = $("input", field);
      input.value = "rub" in data ? input.value.slice(0, -1) : "text" in data ? data.text : input.value + data.letter;
      mark(field);
    } else if ("why" in data) {
      say(data.why);
    } else if ("answer" in data) {
      act({ do: "step", step: Number(data.step), values: [[Number(data.answer)]] }, button);
    } else if ("hide" in data) {
      act({ do: "step", step: Number(button.closest("form").dataset.step), values: null }, button);
    } else if ("cell" in data) {
      const job = whyJob += 1, state = body.dataset.state, answer = await post("/why", { cell: data.cell, supposed, log: counted });
      if (job !== whyJob || state !== body.dataset.state) return;  // another was touched, or it means another card by now
      $("#why").innerHTML = answer.html || "";
      whyState = state;
    } else if ("mark" in data) {
      say((await post("/mark", { row: data.row, column: data.column, mark: data.mark, supposed, log: counted })).told);
      sheetState = whyState = "";
      openPad();
    } else if ("suppose" in data || "drop" in data) {
      if ("drop" in data) supposed.splice(Number(data.drop), 1); else supposed.push([data.row, data.column, data.suppose === "yes"]);
      sheetState = whyState = "";
      say("");
      openPad();
      $("#pad").scrollIntoView({ block: "nearest" });
    } else if ("invite" in data) {
      const answer = await post("/invite", { place: data.invite, network: data.network });
      $("#invitation").innerHTML = answer.html || ""; say(answer.told);
      $("#invitation").scrollIntoView({ block: "nearest" });
    } else if ("decide" in data) {
      say((await post("/decide", { accept: data.decide === "yes", question: data.question })).told);
    } else if (button.closest("#cover")) {
      uncover();
      if (data.to) document.getElementById(data.to).scrollIntoView();
    }
  });

  let sheetJob = 0, whyJob = 0, sheetState = "", whyState = "", counted = null;
  const supposed = [];  // rows, columns, and whether it is so: until something happens
  async function openPad() {
    const sheet = $("#sheet"), job = sheetJob += 1;
    if (!sheet || sheetState === body.dataset.state) return;
    await pause(250);  // a burst of events is counted once
    if (job !== sheetJob || gone) return;
    const state = body.dataset.state, answer = await post("/pad", { supposed, log: counted });
    if (job !== sheetJob) return;
    if (!answer.html) { if (supposed.length) { supposed.pop(); say(answer.told); } return; }
    if (counted !== answer.log) supposed.length = 0;
    counted = answer.log;
    sheetState = state;
    const left = $$(".grid", sheet).map((grid) => grid.scrollLeft);
    replace(sheet, answer.html);
    $$(".grid", sheet).forEach((grid, k) => { grid.scrollLeft = left[k] || 0; });
    if (whyState !== state) $("#why").textContent = "";
    const note = $("#note");
    note.hidden = answer.note === null;
    if (!("busy" in note.dataset)) { note.dataset.match = answer.match; $("textarea", note).value = answer.note || ""; note.open ||= !!answer.note; }
  }
  // -- covering -------------------------------------------------------------------------------
  let lock;
  async function stayOn() { try { lock = await navigator.wakeLock?.request("screen"); } catch { lock = null; } }
  function cover() { touches.changed(); body.classList.add("covered"); $("#cover").hidden = false; $("dialog[open]")?.close(""); }
  function uncover() { touches.changed(); body.classList.remove("covered"); $("#cover").hidden = true; stayOn(); }
  function hides() {
    if (document.hidden && page === "seat") cover();
    if (!document.hidden) { listen(); openPad(); if (page === "table") stayOn(); }
  }

  globalThis.seat = { $, $$, act, mark, post, say, values, loadPad: () => { sheetState = ""; openPad(); } };
  if (page === "table" && location.hash.length > 1) {
    const code = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    post("/join", { code, pin: "" }).then((answer) => { if (answer.answer === "done") location.reload(); else say(answer.told); });
  }
  if (page === "seat" || page === "table") {
    for (const part of ["seats", "now", "eyes", "do", "hand", "table", "log", "people"]) if (document.getElementById(part)) shown[part] = null;
    body.classList.toggle("mine", body.dataset.mine === "yes");
    document.addEventListener("visibilitychange", hides);
    addEventListener("pagehide", () => { if (page === "seat") cover(); });
    $$(".field").forEach(mark);
    watch();
    openPad();
    stayOn();
  }
})();
