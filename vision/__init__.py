"""From pixels to sightings: finds card indices, names them, orders rows, follows them over time.

This room knows decks of cards and no games. Importing it switches ONNX Runtime's telemetry off,
which has to happen before ``onnxruntime`` is imported for the first time.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
# FFmpeg's level that logs nothing: our error says the same in one line. It is read but once.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
