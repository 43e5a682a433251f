// The phone's camera, and its pictures as they are sent.

/** @type {(width: number, height: number) => Promise<MediaStream?>} Null where it is refused. */
export const camera = (width, height) =>
  navigator.mediaDevices
    .getUserMedia({
      video: {
        facingMode: { ideal: "environment" },
        width: { ideal: width },
        height: { ideal: height },
      },
    })
    .catch(() => null);

/** @type {(stream: MediaStream?) => void} */
export const stop = (stream) => stream?.getTracks().forEach((track) => track.stop());

/** @type {(image: HTMLVideoElement | ImageBitmap, most: number) => Promise<Blob>} */
export function frameOf(image, most) {
  const isVideo = image instanceof HTMLVideoElement;
  const wide = isVideo ? image.videoWidth : image.width;
  const high = isVideo ? image.videoHeight : image.height;
  const scale = Math.min(1, most / Math.max(wide, high, 1));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(wide * scale));
  canvas.height = Math.max(1, Math.round(high * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail()), "image/jpeg", 0.85),
  );
}
