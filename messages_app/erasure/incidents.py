"""
Incidents and deployments: the key is replaced in titles, causes, reasons and notes.

Titles and causes are made from error texts, and people write the others. The rows stay, because they count
failures of others too. Each table is read completely, in parts by its primary key.
"""

from collections.abc import Iterator
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
from messages_app.incidents.gathering.pools import find_words
from messages_app.incidents.models import FailureCell, Incident, IncidentDecision

statements = Statements("messages_app.erasure")

M = TypeVar("M", bound=Model)
# How many rows one statement reads.
_PART = 5_000
_MIN_ID = -(2**63)
_OF_INCIDENT = ("title", "note", "key_text", "external_system")
_TEXTS: dict[type[Model], tuple[str, ...]] = {
    FailureCell: ("cause", "external_system"),
    IncidentDecision: ("reason",),
    Deployment: ("note",),
}


def erase_incidents(erasure: Erasure) -> None:
    """Erase the key from the texts of incidents and of deployments."""
    for incident in _iterate_rows(Incident, _OF_INCIDENT, erasure.key):
        write_changes(erasure, incident, _changes_of_incident(erasure.key, incident))
    for model, names in _TEXTS.items():
        for row in _iterate_rows(model, names, erasure.key):
            write_changes(erasure, row, changes_of(erasure.key, row, names))


def forget_items(erased: ErasedKeys, store: str, keys: list[str]) -> None:
    """
    Delete the counted failures of rows of a store, in the caller's step.

    They are named by their cells, because their own keys may be the subject's.
    """
    statements.fetch_row("hold_item_counters", {})
    values = {"store": store, "keys": keys}
    ours = "store = %(store)s AND item_key = ANY (%(keys)s)"
    erased.add("failure_item", delete_rows("failure_item", "cell_id", ours, values))


def _iterate_rows(model: type[M], names: tuple[str, ...], key: Key) -> Iterator[M]:
    """Yield the rows with a text that contains the key, in upper or lower case."""
    query = sql.SQL(statements.read_text("part_with")).format(
        table=sql.Identifier(model._meta.db_table),
        id=sql.Identifier(model._meta.pk.column),
        texts=sql.SQL(", ").join(map(sql.Identifier, names)),
    )
    after: int | None = _MIN_ID
    while after is not None:
        with connection.cursor() as cursor:
            values: dict[str, int | str] = {"after": after, "most": _PART, "key": key.value}
            cursor.execute(query.as_string(connection.connection), values)
            after, ids = cursor.fetchone()
        yield from model._default_manager.filter(pk__in=ids or []).order_by("pk")


def _changes_of_incident(key: Key, incident: Incident) -> dict[str, object]:
    """
    Return the columns that contain the key, with the key replaced.

    A title begins its cause with a capital letter, and `key_text` has only its words, in lower case.
    """
    changes = changes_of(key, incident, _OF_INCIDENT)
    capital = Key(key.value[:1].upper() + key.value[1:])
    title = capital.remove_from(changes.get("title", incident.title))
    if title == incident.title:
        return changes
    text = Key(key.value.lower()).remove_from(changes.get("key_text", incident.key_text))
    words = " ".join(find_words(key.value))
    # A key of digits is not in `key_text`.
    return changes | {"title": title, "key_text": Key(words).remove_from(text) if words else text}
