"""
Whether a database role has what its part of the console needs, and no more.

A table that came with a migration is nobody's but the owner's until `grant` was run again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.backends.utils import CursorWrapper

from messages_app.audit.granting import more_than, privileges
from messages_app.audit.privileges import Part
from messages_app.audit.sql import statement

# What an installation with one role runs under it: `grant` without `--as`.
ONE_ROLE = (Part.WEB, Part.WORKER, Part.SPARK)
_CHOICES = (ONE_ROLE, *((part,) for part in Part))

# (word, table, column), the column "" where the whole table is meant.
Right = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """
    Args:
        parts: that the role was asked to serve, or else those that it seems to have been granted.
        lacking: rights that they need and it has not, each as "INSERT alert" or "UPDATE message.state".
        more: rights beyond the one part that it has been granted, each as "DELETE message".
    """

    parts: tuple[Part, ...]
    lacking: list[str]
    more: list[str]


def fit_of(role: str | None = None, *, parts: tuple[Part, ...] = ()) -> Fit:
    """
    Return how a role, None: this connection's, fits what runs under it.

    A superuser and the owner of the tables may do everything: they are as one role for all, of which nobody
    asks what it may besides.

    Args:
        parts: those that it serves; none: not known, so those whose rights are nearest to what it has.
    """
    with connection.cursor() as cursor:
        if role is None:
            cursor.execute("SELECT current_user")
            (role,) = cursor.fetchone()
        rights = _asked(cursor, role)
        granted = _nearest(rights)
        needed = _needs(parts or granted) & set(rights)
        return Fit(
            parts=parts or granted,
            lacking=[_named(right) for right in sorted(needed) if not rights[right]],
            more=more_than(cursor, role, *granted) if len(granted) == 1 else [],
        )


def _asked(cursor: CursorWrapper, role: str) -> dict[Right, bool]:
    """Return of each right that any part needs, in tables that there are, whether the role has it."""
    words, tables, columns = map(list, zip(*_needs(Part), strict=True))
    asked = {"role": role, "words": words, "tables": tables, "columns": columns}
    cursor.execute(statement("asked_privileges"), asked)
    return {(word, table, column): has_it for word, table, column, has_it in cursor.fetchall()}


def _nearest(rights: dict[Right, bool]) -> tuple[Part, ...]:
    """Return whose rights differ least from those that a role has: a slip of a few tables changes nothing."""
    held = {right for right, has_it in rights.items() if has_it}
    if not held:
        return ONE_ROLE  # nothing was granted yet
    return min(_CHOICES, key=lambda parts: len(held ^ (_needs(parts) & set(rights))))


def _needs(parts: Iterable[Part]) -> set[Right]:
    needs = set()
    for table, row in privileges().items():
        for part in parts:
            needs |= {(word, table, "") for word in row[part].words}
            needs |= {("UPDATE", table, column) for column in row[part].columns}
            needs |= {("SELECT", table, column) for column in row[part].read}
    return needs


def _named(right: Right) -> str:
    word, table, column = right
    return f"{word} {table}.{column}" if column else f"{word} {table}"
