"""Repairing lines and their counts, after a gap in what triggers recorded."""

from collections.abc import Sequence

from django.db import connection, transaction

from messages_app.core.statements import Statements

statements = Statements("messages_app.message_store")


# Lines found in one check of all lines, and lines locked at a time.
_MAX_FOUND, _MAX_HELD = 100_000, 500


# A line that is written at the same time may be wrong again.
_MAX_CHECKS = 1_000


def rebuild_lines(**_: object) -> str:
    """Repair every line and count all lines again; return how many lines were wrong."""
    return f"{mend_lines()} lines of the message store were missing or wrong."


def mend_lines() -> int:
    """Rewrite every line from its rows, count all lines again, and return how many lines were wrong."""
    mended = 0
    for _ in range(_MAX_CHECKS):
        (wrong,) = statements.only_row("find_wrong_lines", {"most": _MAX_FOUND})
        if not wrong:
            break
        mended += sum(
            _mend_by_identifiers(wrong[first : first + _MAX_HELD])
            for first in range(0, len(wrong), _MAX_HELD)
        )
    mended += statements.count("add_lines_of_history", {}) + statements.count("remove_empty_lines", {})
    _count_again()
    return mended


@transaction.atomic
def _mend_by_identifiers(identifiers: Sequence[str]) -> int:
    statements.fetch_row("hold_lines", {"identifiers": identifiers})
    return statements.count("mend_lines", {"identifiers": identifiers})


@transaction.atomic
def _count_again() -> None:
    """Replace the counts by those of one snapshot. A pass that comes in between makes this fail."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    statements.count("forget_counts", {})
    statements.count("count_again", {})
