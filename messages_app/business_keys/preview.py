"""Previews what a path finds in the newest messages of an operation, before anyone defines it."""

from dataclasses import dataclass

from messages_app.business_keys.services import check_path
from messages_app.core.statements import Statements
from messages_app.shared.key_extraction import Path, extract_values
from messages_app.shared.xml_parsing import CHECKED_BYTES

statements = Statements("messages_app.business_keys")

MAX_PREVIEWED = 20
# Messages of an operation are looked for among this many of the newest ones.
LAST_MESSAGES = 20_000
_PREVIEWED = 1


@dataclass(frozen=True, kw_only=True)
class PreviewLine:
    """
    The values of a path in one message.

    Attributes:
        values: the values; None: the user may not see them.
        count: the number of values.
        problem: the reason for a missing or unusable value; empty: all are usable.
    """

    msg_id: int
    values: list[str] | None
    count: int
    problem: str


def preview_path(
    *, service_name: str, operation_name: str, path: str, may_view_payload: bool
) -> list[PreviewLine]:
    """
    Return what a path finds in the newest messages of an operation, newest first.

    Raises:
        Problem: 400, the path is not supported.
    """
    check_path(path)
    rows = newest_payloads(service_name=service_name, operation_name=operation_name)
    return [_make_line(msg_id, payload, path, may_view_payload) for msg_id, payload in rows]


def newest_payloads(*, service_name: str, operation_name: str) -> list[tuple[int, str | None]]:
    """Return the newest messages of an operation with their payloads; None: it is too large."""
    return statements.fetch_rows(
        "newest_payloads",
        {
            "service_name": service_name,
            "operation_name": operation_name,
            "largest": CHECKED_BYTES,
            "last": LAST_MESSAGES,
            "most": MAX_PREVIEWED,
        },
    )


def _make_line(msg_id: int, payload: str | None, path: str, may_view_payload: bool) -> PreviewLine:
    extract = extract_values(payload, [Path(_PREVIEWED, path)])
    values = extract.values.get(_PREVIEWED, [])
    return PreviewLine(
        msg_id=msg_id,
        values=values if may_view_payload else None,
        count=len(values),
        problem=extract.problems.get(_PREVIEWED, (None, ""))[1],
    )
