"""
The passes that update the counts: changes are added every few seconds; old minutes become hours and days.

Over all hosts, one pass runs at a time. It takes rows and adds them to the counts in one transaction.
"""

from datetime import timedelta

from django.db import transaction

from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock

statements = Statements("messages_app.messages.metrics")
# Of everything that writes the counts.
COUNTING = TransactionLock("hubconsole message_rollup")


# The number of changes in one transaction: about a second's work.
MAX_CHANGES = 50_000


MAX_MINUTES = 100_000


# The same as in the view "Waiting long" of the list.
LONG = timedelta(minutes=15)


FOLD, COARSEN, COARSEN_TOOK = "fold", "coarsen", "coarsen_took"
_EMPTY_TOTALS = "forget_empty_totals"


def fold_changes(*, most: int = MAX_CHANGES) -> int:
    """Add all committed changes to the counts, record the gauges, and return the number of changes."""
    changes = _run_pass(FOLD, {"most": most}, most)
    statements.count("record_gauges", {"long": LONG})
    return changes


def fold_all() -> None:
    """Add all committed changes to the counts in this transaction, which has the lock of the passes."""
    while statements.only_row(FOLD, {"most": MAX_CHANGES})[0] == MAX_CHANGES:
        pass


def coarsen_counts(*, most: int = MAX_MINUTES) -> int:
    """Merge counts of old minutes into their hours and days, and return the number of old counts."""
    _run_pass(COARSEN_TOOK, {"most": most}, most)
    _run_part(_EMPTY_TOTALS, {})
    statements.count("delete_old_gauges", {})
    return _run_pass(COARSEN, {"most": most}, most)


def _run_pass(name: str, values: dict[str, object], most: int) -> int:
    """
    Run a pass in parts of `most` rows, one transaction each, until no full part is left or another pass is in
    progress. Return the number of rows.
    """
    done = 0
    while (rows := _run_part(name, values)) is not None:
        done += rows
        if rows < most:
            break
    return done


def _run_part(name: str, values: dict[str, object]) -> int | None:
    """Run one part and return the number of its rows; None if another pass is in progress."""
    with transaction.atomic():
        if not COUNTING.try_acquire():
            return None
        (rows,) = statements.only_row(name, values)
        statements.count("record_pass", {"name": name, "rows": rows})
    return rows
