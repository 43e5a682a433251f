"use strict";  // A phone lends its camera: the newest frame, about five times a second.
(() => {
  const body = document.body, base = location.pathname.replace(/\/$/, "");
  const $ = (selector) => document.querySelector(selector);
  const say = (text) => { $("#told").textContent = text || ""; };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  let stream = null;
  async function lend() {
    const button = $("#lens"), video = $("#view");
    if (stream) { stream.getTracks().forEach((track) => track.stop()); stream = null; button.textContent = body.dataset.start; return; }
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } } });
    } catch { say(body.dataset.refused); return; }
    button.textContent = body.dataset.stop;
    video.srcObject = stream;
    await video.play();
    try { await navigator.wakeLock?.request("screen"); } catch { /* it may go dark */ }
    const canvas = document.createElement("canvas");
    while (stream) {
      const began = performance.now(), scale = Math.min(1, 1280 / Math.max(video.videoWidth, video.videoHeight, 1));
      canvas.width = Math.round(video.videoWidth * scale); canvas.height = Math.round(video.videoHeight * scale);
      canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
      const frame = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.8));
      try {
        const answer = await (await fetch(base + "/frame", { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: frame })).json();
        if (answer.answer === "refused") say(answer.told);
        $("#seen").textContent = answer.seen || body.dataset.nothing;
        $("#status").className = "status";
      } catch { $("#status").className = "status lost"; await pause(1000); }
      await pause(Math.max(0, 200 - (performance.now() - began)));
    }
  }

  $("#lens").addEventListener("click", lend);
})();
