"""
Old families, and subjects with many messages, among any number of younger messages, in a database of a kept
home.
"""

from functools import partial
from pathlib import Path

import psycopg

from benchmarks.dashboard import count_history
from benchmarks.databases import fill_tables, filled_once, messages_once
from benchmarks.families import fill_families
from benchmarks.filling import BYTES_PER_MESSAGE, IDS_PER_MESSAGE
from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

_BYTES_OF_FAMILY = 8_000  # with its other rows and indexes
# A subject has this part of all messages. A fifth of its messages are archived.
_PARTS_OF_SUBJECTS = (1_000_000, 10_000, 1_000)


def fill_among(home: Path, *, messages: int, families: int, generations: int = 1) -> str:
    """
    Fill a database once, and return its name.

    Args:
        messages: of the last sixty days; a fifth as many are archived.
        families: messages older than two months, and a fifth as many younger ones, as of `fill_families`.
    """
    name = f"among_{messages}_{families}_{generations}"
    make = partial(_fill, messages=messages, families=families, generations=generations)
    # Every run needs a copy, too.
    needed = 2 * (messages * BYTES_PER_MESSAGE + families * _BYTES_OF_FAMILY)
    filled_once(home, name, make, needed=needed, template=messages_once(home, messages))
    return name


def subjects_of(messages: int) -> dict[str, int]:
    """Return the subjects of a database and how many messages they have, without their children."""
    counts = [messages // part for part in _PARTS_OF_SUBJECTS]
    return {f"subject-{count}": count for count in counts if count}


def _fill(url: str, *, messages: int, families: int, generations: int) -> None:
    fill_tables(url, fill=partial(_fill_rows, messages=messages, families=families, generations=generations))
    count_history()
    with psycopg.connect(url, autocommit=True) as hub:
        hub.execute("VACUUM ANALYZE")
        hub.execute("CHECKPOINT")


def _fill_rows(hub: psycopg.Cursor, *, messages: int, families: int, generations: int) -> None:
    # Archived messages have as many ids again.
    after = (2 * messages + 10) * IDS_PER_MESSAGE
    fill_families(hub, families=families, generations=generations, after=after)
    values = {"messages": messages, "families": families, "after": after, "ids": IDS_PER_MESSAGE}
    for nth, (subject, count) in enumerate(subjects_of(messages).items()):
        archived = count // 5
        for name, wanted in (("subject", count - archived), ("subject_archived", archived)):
            if wanted:
                own = {"subject": subject, "nth": nth, "wanted": wanted}
                hub.execute(statements.text(name), values | own)
