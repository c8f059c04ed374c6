"""One line of the log for each thing told, whatever somebody wrote into it. Source: reliability S-45."""

import logging
import re
from types import TracebackType

# What ends a line, colours a terminal or turns a text around.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_WITHIN = "  | "  # before the lines of a traceback: none of them can be taken for a line of its own


class LineFormatter(logging.Formatter):
    """The framework's, with what would steer a terminal, or begin a line, written as its escape."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        return _shown(super().formatMessage(record))

    def formatException(  # noqa: N802 (logging's name)
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None]
    ) -> str:
        return "\n".join(_WITHIN + _shown(line) for line in super().formatException(ei).split("\n"))


def _shown(text: str) -> str:
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
