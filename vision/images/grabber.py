"""A worker thread that keeps the newest frame of a source; older ones are dropped unseen."""

from __future__ import annotations

import threading

from companion.errors import CompanionError
from vision.arrays import Image
from vision.protocols import FrameSource


class NewestFrame:
    """Grabs frames in the background while it is used as a context manager; newest frame wins.

    Args:
        source: where frames come from; opened and closed by the worker thread.

    Attributes:
        dropped: how many frames nobody took.
        failure: why the source stopped, in words, where it did not simply end.
    """

    def __init__(self, source: FrameSource) -> None:
        self.source = source
        self.dropped = 0
        self.failure: str | None = None
        self._news = threading.Condition()
        self._frame: tuple[float, Image] | None = None
        self._stopping = self._done = False
        self._thread = threading.Thread(target=self._work, name="frames", daemon=True)

    def __enter__(self) -> NewestFrame:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        with self._news:
            self._stopping = True
            self._news.notify_all()
        self._thread.join(timeout=5)

    def take(self, timeout: float = 0.0) -> tuple[float, Image] | None:
        """The newest frame not taken yet with its time, or None where none came in ``timeout`` s.

        A frame is handed out once. None with `ended` true means that no more will come.
        """
        with self._news:
            if self._frame is None and not self._done and timeout > 0:
                self._news.wait_for(lambda: self._frame is not None or self._done, timeout)
            frame, self._frame = self._frame, None
            return frame

    @property
    def ended(self) -> bool:
        """Whether no frame is left and none will come."""
        with self._news:
            return self._done and self._frame is None

    def _work(self) -> None:
        failure: str | None = None
        try:
            self.source.open()
            while not self._stopping and not self.source.ended:
                frame = self.source.newest()
                if frame is not None:
                    self._put(frame)
            failure = self.source.failure
        except CompanionError as error:
            failure = error.message
        finally:
            self.source.close()
            with self._news:
                self.failure, self._done = failure, True
                self._news.notify_all()

    def _put(self, frame: tuple[float, Image]) -> None:
        with self._news:
            self.dropped += self._frame is not None
            self._frame = frame
            self._news.notify_all()
