"use strict";  // Cards are shown to the phone's camera, or chosen as a photo: what is read fills the form in.
(() => {
  const { $, $$, mark, say } = globalThis.seat, box = $("#shown"), most = 1600;
  if (!box) return;
  const base = location.pathname.replace(/\/$/, ""), video = $("video", box);
  let stream = null, job = 0;  // a job is one showing: what is answered after its end is dropped

  // A form may have been drawn anew meanwhile: it is found by its title, a field by its place.
  const placeOf = (field) => [field.closest("form").dataset.title, $$(".field", field.closest("form")).indexOf(field)];
  function fieldAt([title, place]) {
    const form = $$("form.step").find((one) => one.dataset.title === title);
    return form ? $$(".field", form)[place] : null;
  }

  function frameOf(image, width, height) {
    const scale = Math.min(1, most / Math.max(width, height, 1)), canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
  }

  async function read(frame, count, asked) {
    const answer = await fetch(`${base}/frame?count=${count}&${asked}`, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: frame });
    return answer.headers.get("content-type")?.includes("json") ? answer.json() : { answer: "refused", told: await answer.text() };
  }

  // What is sure is chosen, what is doubtful stands out and is chosen by a touch.
  function fill(field, { sure, doubtful }) {
    const total = Number(field.dataset.count), taken = total ? sure.slice(0, total) : sure;
    const unsure = new Set([...sure.slice(taken.length), ...doubtful]);
    for (const input of $$("input[data-card]", field)) {
      const code = input.dataset.card;
      input.checked = taken.includes(code);
      if (input.checked) input.order = 0;
      input.closest(".choice").classList.toggle("doubtful", unsure.has(code));
    }
    mark(field);
    aloud.read($$(".choice:has(input:checked) .sr", field).map((one) => one.textContent));
    return total > 0 && taken.length === total && !unsure.size;
  }

  function tell(field) {
    $(".count", box).textContent = `${$(".count", field).textContent} ${$("input:checked", field) ? "" : box.dataset.lead}`;
    const seen = $$(".choice:has(input:checked), .choice.doubtful", field);
    $(".cards", box).replaceChildren(...seen.map((choice) => {
      const copy = $(".card", choice).cloneNode(true);
      copy.classList.toggle("doubtful", choice.classList.contains("doubtful"));
      return copy;
    }));
  }

  function stop() {
    job += 1;
    stream?.getTracks().forEach((track) => track.stop());
    stream = video.srcObject = null;
    if (box.open) box.close();
  }

  async function show(place) {
    const own = job += 1, { count } = fieldAt(place).dataset;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: most }, height: { ideal: 1200 } } });
    } catch { say(box.dataset.refused); return; }
    if (own !== job) { stop(); return; }
    video.srcObject = stream;
    aloud.begin();
    box.showModal();
    touches.changed();
    tell(fieldAt(place));
    await video.play().catch(() => null);  // it was left meanwhile
    for (let asked = "new"; own === job; asked = "") {
      const answer = await frameOf(video, video.videoWidth, video.videoHeight).then((frame) => read(frame, count, asked)).catch(() => null);
      const field = fieldAt(place);
      if (own !== job || !field) break;
      if (answer?.answer === "refused") { say(answer.told); break; }
      if (answer?.answer !== "done") continue;
      if (fill(field, answer)) break;
      tell(field);
    }
    if (own !== job) return;
    stop();
    leadTo(place);
  }

  function leadTo(place) {
    touches.changed();
    $("button[type=submit]", fieldAt(place)?.closest("form") ?? document.body)?.scrollIntoView({ block: "nearest" });
  }

  async function photo(input) {
    const place = placeOf(input.closest(".field")), { count } = fieldAt(place).dataset, [file] = input.files;
    input.value = "";
    if (!file) return;
    say("");
    try {
      const image = await createImageBitmap(file), answer = await read(await frameOf(image, image.width, image.height), count, "new&photo");
      const field = fieldAt(place);
      if (answer.answer === "done" && field) {
        fill(field, answer);
        if (!answer.sure.length) say(box.dataset.nothing);
        leadTo(place);
      } else say(answer.told);
    } catch { say(box.dataset.nothing); }
  }

  box.addEventListener("close", stop);
  document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); });
  document.addEventListener("change", (event) => {
    if ("photo" in event.target.dataset) photo(event.target);
    event.target.closest?.(".choice")?.classList.remove("doubtful");
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    if (button && "show" in button.dataset) show(placeOf(button.closest(".field")));
    if (button && "done" in button.dataset) box.close();
  });
})();
