"""
Chooses what of a span leaves the console: how long which part took, but no data of messages or people.

Libraries also record paths, query strings, addresses of callers, texts of errors and values in statements.
Paths and errors can contain business keys and payloads, so the attributes below are sent and all others are
not.
"""

import re
from collections.abc import Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status
from opentelemetry.util.types import Attributes, AttributeValue

_STATEMENT = "db.query.text"
_SYSTEM = "db.system.name"
# The pool of connections sends an empty statement before a request.
_PING = "ping"
_MAX_READ, _MAX_SENT = 20_000, 2_000  # characters of a statement
SENT_ATTRIBUTES = frozenset(
    {
        "celery.action",
        "celery.state",
        "celery.task_name",
        "db.namespace",
        _SYSTEM,
        "error.type",
        "exception.type",
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "job.id",
        "job.kind",
        "spark.chunks",
        "spark.messages",
        "spark.tasks",
        "messaging.destination.name",
        "messaging.message.id",
        "network.protocol.version",
        "task",  # Of the metric of tasks.
        "url.scheme",
    }
)
# Names, in quotation marks or not, and parameters are kept, so they are the first alternatives. One pattern
# has all of them, because a comment or a name may contain an apostrophe. A value cut off ends with the text.
_LITERALS = re.compile(
    r"""
    (?P<kept> "(?:""|[^"])*(?:"|\Z) | %\(\w+\)s | [A-Za-z_]\w*+(?!') )
    | --[^\n]* | /\*.*?(?:\*/|\Z)
    | [eE]'(?:\\.|''|[^'\\])*(?:'|\Z) | \w*+'(?:''|[^'])*(?:'|\Z)
    | \$(?P<tag>(?:[A-Za-z_]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)
    | \d[\w.]*
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_SPACES = re.compile(r"\s+")


class PrivateSpans(SpanExporter):
    """Goes before the class of an exporter: removes from spans what must not leave the console."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        private = [_without_data(span) for span in spans if not _is_of_no_work(span)]
        return super().export(private) if private else SpanExportResult.SUCCESS


def mask_statement(text: str) -> str:
    """Return SQL with `?` for each value in it, without comments, on one line."""
    masked = _LITERALS.sub(lambda match: match["kept"] or _make_replacement(match[0]), text[:_MAX_READ])
    return _SPACES.sub(" ", masked).strip()[:_MAX_SENT]


def _make_replacement(text: str) -> str:
    return " " if text.startswith(("--", "/*")) else "?"


def _is_of_no_work(span: ReadableSpan) -> bool:
    """Return whether the span is a statement outside every request and task, such as a heartbeat."""
    return span.parent is None and span.kind is SpanKind.CLIENT


def _without_data(span: ReadableSpan) -> ReadableSpan:
    attributes = _choose_attributes(span.attributes)
    return ReadableSpan(
        name=_name_statement(attributes) if _SYSTEM in attributes else span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        events=[
            Event(event.name, _choose_attributes(event.attributes), event.timestamp) for event in span.events
        ],
        links=span.links,
        kind=span.kind,
        # Its description is the text of an error.
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _name_statement(attributes: dict[str, AttributeValue]) -> str:
    """Return the first word of a statement. The library takes that of the comment above it."""
    return str(attributes.get(_STATEMENT, "")).partition(" ")[0] or _PING


def _choose_attributes(attributes: Attributes) -> dict[str, AttributeValue]:
    attributes = attributes or {}
    chosen = {name: value for name, value in attributes.items() if name in SENT_ATTRIBUTES}
    if statement := attributes.get(_STATEMENT):
        chosen[_STATEMENT] = mask_statement(str(statement))
    return chosen
