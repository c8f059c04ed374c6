"""
The log format of every process: one line for each event, whatever text it contains, and no data of rows.

The layout is text or, with HUBCONSOLE_LOG_FORMAT=json, one JSON object a line.

Source: docs/contributing/spec/promises.md, S-45, S-51.
"""

import json
import logging
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType

from hubconsole.environment import one_of

# Characters that end a line, colour a terminal or reverse a text.
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_WITHIN = "  | "  # Before each line of a traceback, so that none of them looks like an entry of its own.
# The beginning of PostgreSQL's reports about rows and statements, plain or in the `repr` of an error.
_ROWS = re.compile(r"(?:\n|\\n)(?:DETAIL|CONTEXT|QUERY|STATEMENT|LINE \d+):.*", re.DOTALL)

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def formatter_class() -> type[logging.Formatter]:
    """Return the formatter that the setting HUBCONSOLE_LOG_FORMAT selects."""
    layouts = {"text": LineFormatter, "json": JsonFormatter}
    return layouts[one_of("HUBCONSOLE_LOG_FORMAT", tuple(layouts))]


def make_configuration() -> dict:
    """
    Return the settings of `logging.config.dictConfig`: errors go only to the standard error stream.

    `up` keeps that stream in log/. Errors are not mailed.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter_class()}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        # Celery's pool does not pass its reports on to the root logger.
        "loggers": {"multiprocessing": {"handlers": ["stderr"], "level": "ERROR", "propagate": False}},
    }


class LineFormatter(logging.Formatter):
    """Django's formatter, with characters that control a terminal or begin a line escaped."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        return _escape_characters(_without_rows(super().formatMessage(record)))

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (logging's name)
        text = _without_rows_of(ei[1], super().formatException(ei))
        return "\n".join(_WITHIN + _escape_characters(line) for line in text.split("\n"))


class JsonFormatter(logging.Formatter):
    """
    One object a line: time (UTC), level, logger, process (id), message; exception if there is one; trace_id
    and span_id if telemetry records the request or task.
    """

    def format(self, record: logging.LogRecord) -> str:
        members = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": _without_rows(record.getMessage()),
            **_read_trace(),
        }
        if record.exc_info and record.exc_info[1]:
            members["exception"] = _without_rows_of(record.exc_info[1], self.formatException(record.exc_info))
        return json.dumps(members)  # ASCII only, so that nothing controls a terminal.


def _read_trace() -> dict[str, str]:
    """Return the ids by which a trace of OpenTelemetry names the current work; empty without telemetry."""
    trace = sys.modules.get("opentelemetry.trace")  # Only an extra installs it, and only telemetry loads it.
    span = trace.get_current_span().get_span_context() if trace else None
    if span is None or not span.is_valid:
        return {}
    return {"trace_id": format(span.trace_id, "032x"), "span_id": format(span.span_id, "016x")}


def _escape_characters(text: str) -> str:
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def _without_rows(text: str) -> str:
    """Cut off PostgreSQL's report about rows after its first sentence, because rows contain payloads."""
    return _ROWS.sub("", text)


def _without_rows_of(error: BaseException | None, text: str) -> str:
    """Return a traceback of `error` without rows in its texts and in those of its causes."""
    for each in _iterate_causes(error):
        text_of_error = str(each)
        text = text.replace(text_of_error, _without_rows(text_of_error)) if text_of_error else text
    return text


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    errors: list[BaseException | None] = [error]
    visited: set[int] = set()
    while errors:
        each = errors.pop()
        if each is None or id(each) in visited:
            continue
        visited.add(id(each))
        errors += (each.__cause__, each.__context__)
        yield each
