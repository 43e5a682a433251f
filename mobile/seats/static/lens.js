// A phone lends its camera: the newest frame, about five times a second.
import { camera, frameOf, stop } from "./camera.js";
import { $, body, line, on, pause, post, say } from "./page.js";

const video = /** @type {HTMLVideoElement} */ ($("#view"));
/** @type {MediaStream?} */
let stream = null;

on("click", "#lens", async (button) => {
  const { start, refused, nothing = "" } = body.dataset;
  stop(stream);
  stream = stream ? null : await camera(1280, 720);
  button.textContent = stream ? body.dataset.stop : start;
  if (!stream) return say(video.srcObject ? "" : refused);
  video.srcObject = stream;
  await video.play();
  await navigator.wakeLock?.request("screen").catch(() => null);
  for (const own = stream; own === stream; ) {
    const began = performance.now();
    const answer = await post("frame", await frameOf(video, 1280));
    if (answer.answer !== "done") say(answer.told);
    else line(false);
    $("#seen").textContent = answer.seen || nothing;
    const wanted = answer.answer === "lost" ? 1000 : 200;
    await pause(wanted - (performance.now() - began));
  }
});
