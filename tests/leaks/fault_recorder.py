"""What error trackers record of logged exceptions."""

import logging
import traceback


class FaultRecorder(logging.Handler):
    """Records logged exceptions as error trackers do: the traceback with all local variables."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.tracebacks: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            traceback_exception = traceback.TracebackException.from_exception(
                record.exc_info[1], capture_locals=True
            )
            self.tracebacks.append("".join(traceback_exception.format()))
