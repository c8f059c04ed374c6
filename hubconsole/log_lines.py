"""
What a log holds, of every process: a line for each event, whatever someone wrote into it, and no rows.

Laid out as text or, by HUBCONSOLE_LOG=json, as one JSON object a line.

Source: docs/spec/promises.md, S-45, S-51.
"""

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType

from hubconsole.environment import one_of

# What ends a line, colours a terminal or turns a text around.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_WITHIN = "  | "  # before the lines of a traceback: none of them can be taken for a line of its own
# Where PostgreSQL begins to tell of rows and statements, plainly or within the `repr` of an error.
_ROWS = re.compile(r"(?:\n|\\n)(?:DETAIL|CONTEXT|QUERY|STATEMENT|LINE \d+):.*", re.DOTALL)

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def formatter_class() -> type[logging.Formatter]:
    """Return what lays lines out here, by the setting."""
    layouts = {"text": LineFormatter, "json": JsonFormatter}
    return layouts[one_of("HUBCONSOLE_LOG", tuple(layouts))]


def configuration() -> dict:
    """
    Return what `logging.config.dictConfig` takes: errors go to the standard error stream, and nowhere else.

    `up` keeps that stream in log/; no one reads mail at 3 a.m.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter_class()}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        # What Celery's pool reports about itself hands nothing on to the root.
        "loggers": {"multiprocessing": {"handlers": ["stderr"], "level": "ERROR", "propagate": False}},
    }


class LineFormatter(logging.Formatter):
    """The framework's, with what would steer a terminal, or begin a line, written as its escape."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        return _shown(_without_rows(super().formatMessage(record)))

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (logging's name)
        text = _without_rows_of(ei[1], super().formatException(ei))
        return "\n".join(_WITHIN + _shown(line) for line in text.split("\n"))


class JsonFormatter(logging.Formatter):
    """One object a line: time (UTC), level, logger, process (its id), message, and exception where one is."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": _without_rows(record.getMessage()),
        }
        if record.exc_info and record.exc_info[1]:
            told["exception"] = _without_rows_of(record.exc_info[1], self.formatException(record.exc_info))
        return json.dumps(told)  # in ASCII, so that nothing steers a terminal


def _shown(text: str) -> str:
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def _without_rows(text: str) -> str:
    """Cut off what PostgreSQL reports about rows behind its first sentence: in them is what messages say."""
    return _ROWS.sub("", text)


def _without_rows_of(error: BaseException | None, text: str) -> str:
    """Return a traceback of `error` without the rows in what it, and what led to it, says."""
    for each in _led_to(error):
        said = str(each)
        text = text.replace(said, _without_rows(said)) if said else text
    return text


def _led_to(error: BaseException | None) -> Iterator[BaseException]:
    found: list[BaseException | None] = [error]
    seen: set[int] = set()
    while found:
        each = found.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        found += (each.__cause__, each.__context__)
        yield each
