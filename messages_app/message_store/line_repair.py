"""
Makes the lines of the message store and their counts right again, after a gap in what its triggers noted.

Source: docs/decisions/0023-triggers-never-fail-the-hub.md.
"""

from collections.abc import Sequence

from django.db import connection, transaction

from messages_app.core.statements import Statements

statements = Statements("messages_app.message_store")


# So many are found in one check all of them, and held against processing at a time.
_MOST_FOUND, _MOST_HELD = 100_000, 500
# A line that is written at the same moment may be wrong once more.
_MOST_LOOKS = 1_000


def rebuild_lines(**_: object) -> str:
    """Repair every line and count all lines again; return how many lines were wrong."""
    return f"{mend_lines()} lines of the message store were missing or wrong."


def mend_lines() -> int:
    """Write every line as its rows say, count all lines again, and return how many lines were wrong."""
    mended = 0
    for _ in range(_MOST_LOOKS):
        (wrong,) = statements.row("find_wrong_lines", {"most": _MOST_FOUND})
        if not wrong:
            break
        mended += sum(_mend(wrong[first : first + _MOST_HELD]) for first in range(0, len(wrong), _MOST_HELD))
    mended += statements.count("add_lines_of_history", {}) + statements.count("remove_empty_lines", {})
    _count_again()
    return mended


@transaction.atomic
def _mend(identifiers: Sequence[str]) -> int:
    statements.row("hold_lines", {"identifiers": identifiers})
    return statements.count("mend_lines", {"identifiers": identifiers})


@transaction.atomic
def _count_again() -> None:
    """Replace the counts by those of one snapshot. A pass that comes in between makes this fail."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    statements.count("forget_counts", {})
    statements.count("count_again", {})
