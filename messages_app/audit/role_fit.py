"""The check that a database role has exactly the privileges of its part."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.backends.utils import CursorWrapper

from messages_app.audit.grants import more_than, privileges_by_table
from messages_app.audit.privileges import Part
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")


# The parts of a single role for all: `grant` without `--as`.
ONE_ROLE = (Part.WEB, Part.WORKER, Part.SPARK)


_CHOICES = (ONE_ROLE, *((part,) for part in Part))


# (word, table, column); the column is "" for the whole table.
Right = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """
    Args:
        parts: the requested parts of the role, or otherwise the parts that it seems to have been granted.
        lacking: privileges that these parts need and the role lacks, each as "INSERT alert" or "UPDATE
            message.state".
        more: privileges beyond its single part, each as "DELETE message".
        is_for_all: whether it seems to be the one role of all parts.
    """

    parts: tuple[Part, ...]
    lacking: list[str]
    more: list[str]
    is_for_all: bool


def compare_privileges(role: str | None = None, *, parts: tuple[Part, ...] = ()) -> Fit:
    """
    Compare the privileges of a role with the needs of its parts.

    A superuser and the owner of the tables have all privileges. They count as a single role for all parts,
    for which further privileges are not reported.

    Args:
        role: the role; None: the role of this connection.
        parts: its parts; empty: not known, so the parts with the most similar privileges are assumed.
    """
    with connection.cursor() as cursor:
        if role is None:
            cursor.execute("SELECT current_user")
            (role,) = cursor.fetchone()
        rights = _read_privileges(cursor, role)
        granted = _nearest_parts(rights)
        needed = _required_rights(parts or granted) & set(rights)
        return Fit(
            parts=parts or granted,
            lacking=[_name_right(right) for right in sorted(needed) if not rights[right]],
            more=more_than(cursor, role, *granted) if len(granted) == 1 else [],
            is_for_all=len(granted) > 1,
        )


def _read_privileges(cursor: CursorWrapper, role: str) -> dict[Right, bool]:
    """Return, for each privilege that any part needs on an existing table, whether the role has it."""
    words, tables, columns = map(list, zip(*_required_rights(Part), strict=True))
    values: dict[str, str | list[str]] = {"role": role, "words": words, "tables": tables, "columns": columns}
    cursor.execute(statements.read_text("asked_privileges"), values)
    return {(word, table, column): has_it for word, table, column, has_it in cursor.fetchall()}


def _nearest_parts(rights: dict[Right, bool]) -> tuple[Part, ...]:
    """
    Return the parts whose privileges differ least from those of a role, so that a few errors do not matter.
    """
    held = {right for right, has_it in rights.items() if has_it}
    if not held:
        return ONE_ROLE  # nothing has been granted yet
    return min(_CHOICES, key=lambda parts: len(held ^ (_required_rights(parts) & set(rights))))


def _required_rights(parts: Iterable[Part]) -> set[Right]:
    needs = set()
    for table, row in privileges_by_table().items():
        for part in parts:
            needs |= {(word, table, "") for word in row[part].words}
            needs |= {("UPDATE", table, column) for column in row[part].columns}
            needs |= {("SELECT", table, column) for column in row[part].read}
    return needs


def _name_right(right: Right) -> str:
    word, table, column = right
    return f"{word} {table}.{column}" if column else f"{word} {table}"
