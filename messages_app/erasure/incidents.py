"""
Incidents, deployments and notes: the key is replaced in titles, causes, senders, reasons and texts.

Titles and causes are made from error texts, and people write the others. The rows stay, because they count
failures of others too. Names of users stay, as in the audit log. Each table is read completely, in parts by
its primary key.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from django.db import connection
from django.db.models import Model
from psycopg import sql

from messages_app.core.statements import Statements
from messages_app.erasure.keys import Key
from messages_app.erasure.parameters import changes_of, write_changes
from messages_app.erasure.rows import delete_rows
from messages_app.erasure.run import ErasedKeys, Erasure
from messages_app.incidents.deployments.models import Deployment
from messages_app.incidents.gathering.pools import find_family
from messages_app.incidents.models import FailureCell, Incident, IncidentDecision
from messages_app.incidents.sources import ITEM_COUNTERS
from messages_app.notes.models import Note

statements = Statements("messages_app.erasure")

M = TypeVar("M", bound=Model)
# How many rows one statement reads.
_PART = 5_000
_MIN_ID = -(2**63)
_OF_INCIDENT = ("title", "external_system", "key_sender", "key_text")
_OF_CELL = ("cause", "external_system", "source_system")
_TEXTS: dict[type[Model], tuple[str, ...]] = {
    IncidentDecision: ("reason",),
    Deployment: ("note",),
    Note: ("text",),
}


def erase_incidents(erasure: Erasure) -> None:
    """
    Erase the key from the texts of incidents, of deployments and of notes.

    Incidents store the first words of a cause, in which the key may be cut off or without its digits. They
    are found by the cause, so a cause is erased last.
    """
    key = erasure.key
    cells = list(_iterate_rows(FailureCell, _OF_CELL, [key.value]))
    families = _map_families(key, cells)
    refused_texts = set()
    for incident in _iterate_rows(Incident, _OF_INCIDENT, [key.value, *families]):
        if not write_changes(erasure, incident, _changes_of_incident(key, incident, families)):
            refused_texts.add(incident.key_text)
    for cell in cells:
        if find_family(cell.cause) in refused_texts:
            erasure.leave("failure_cell", cell.pk, "an incident with its words has changed: run this again")
        else:
            write_changes(erasure, cell, _changes_with_system(key, cell, _OF_CELL))
    for model, names in _TEXTS.items():
        for row in _iterate_rows(model, names, [key.value]):
            write_changes(erasure, row, changes_of(key, row, names))


def forget_items(erased: ErasedKeys, store: str, keys: list[str]) -> None:
    """
    Delete the counted failures of rows of a store, in the caller's step.

    They are named by their cells, because their own keys may be the subject's.
    """
    ITEM_COUNTERS.acquire()
    values = {"store": store, "keys": keys}
    ours = "store = %(store)s AND item_key = ANY (%(keys)s)"
    erased.add("failure_item", delete_rows("failure_item", "cell_id", ours, values))


def _iterate_rows(model: type[M], names: tuple[str, ...], words: list[str]) -> Iterator[M]:
    """Yield the rows with a text that contains one of the words, in upper or lower case."""
    query = sql.SQL(statements.read_text("part_with")).format(
        table=sql.Identifier(model._meta.db_table),
        id=sql.Identifier(model._meta.pk.column),
        texts=sql.SQL(", ").join(map(sql.Identifier, names)),
    )
    after: int | None = _MIN_ID
    while after is not None:
        with connection.cursor() as cursor:
            values: dict[str, int | list[str]] = {"after": after, "most": _PART, "words": words}
            cursor.execute(query.as_string(connection.connection), values)
            after, ids = cursor.fetchone()
        yield from model._default_manager.filter(pk__in=ids or []).order_by("pk")


def _map_families(key: Key, cells: Iterable[FailureCell]) -> dict[str, str]:
    """Return the families of causes with the key, and what they are without it."""
    causes = ((cell.cause, str(key.remove_from(cell.cause))) for cell in cells)
    families = {find_family(cause): find_family(erased) for cause, erased in causes}
    return {before: after for before, after in families.items() if before != after}


def _changes_of_incident(key: Key, incident: Incident, families: dict[str, str]) -> dict[str, object]:
    """
    Return the columns that contain the key, with the key replaced.

    A title begins its cause with a capital letter.
    """
    changes = _changes_with_system(key, incident, _OF_INCIDENT)
    capital = Key(key.value[:1].upper() + key.value[1:])
    title = capital.remove_from(changes.get("title", incident.title))
    text = families.get(incident.key_text, incident.key_text)
    changes |= {"title": title} if title != incident.title else {}
    return changes | ({"key_text": text} if text != incident.key_text else {})


def _changes_with_system(key: Key, row: Model, names: tuple[str, ...]) -> dict[str, object]:
    """Return the columns that contain the key, with the key replaced. Hosts are in lower case."""
    return changes_of(Key(key.value.lower()), row, ("external_system",)) | changes_of(key, row, names)
