"""
The passes over the counts: changes are added every few seconds, old minutes become hours and days.

One pass at a time, over all hosts; what a pass takes and what it adds commits together.
"""

from datetime import timedelta

from django.db import transaction

from messages_app.messages.rollups.sql import sender

# A pass takes so many changes at a time: a second's work.
MOST_CHANGES = 50_000
MOST_MINUTES = 100_000

# As the list's view "Waiting long" has it.
LONG = timedelta(minutes=15)

FOLD, COARSEN, COARSEN_TOOK = "fold", "coarsen", "coarsen_took"


def fold(*, most: int = MOST_CHANGES) -> int:
    """Add all committed changes to the counts, note how it stands, and return how many changes there were."""
    done = _run(FOLD, {"most": most}, most)
    sender.count_of("note_gauges", {"long": LONG})
    return done


def coarsen(*, most: int = MOST_MINUTES) -> int:
    """Add counts of old minutes to those of their hours and days, and return how many there were."""
    _run(COARSEN_TOOK, {"most": most}, most)
    sender.count_of("forget_gauges", {})
    return _run(COARSEN, {"most": most}, most)


def _run(name: str, values: dict[str, object], most: int) -> int:
    """Do a pass, a part a transaction, until there is no full part left or somebody else does one."""
    done = 0
    while (rows := _part(name, values)) is not None:
        done += rows
        if rows < most:
            break
    return done


def _part(name: str, values: dict[str, object]) -> int | None:
    """Do one part and return its rows; None where another pass is under way."""
    with transaction.atomic():
        (is_ours,) = sender.row_of("lock_counts", {})
        if not is_ours:
            return None
        (rows,) = sender.row_of(name, values)
        sender.count_of("note_pass", {"name": name, "rows": rows})
    return rows
