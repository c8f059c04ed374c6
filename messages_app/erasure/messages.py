"""
The messages of a key, live and archived, and which of them may be erased.

A message is erased with all its descendants, or stays with them: a part of a branch would not show its
subject.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import connection
from psycopg import sql

from messages_app.core.parameters import MIN_ID, following_id
from messages_app.core.statements import Statements
from messages_app.erasure.archive_files import erase_from_parts
from messages_app.erasure.exports import exports_of, remove_exports
from messages_app.erasure.rows import (
    Reader,
    Values,
    erase_rows,
    ids_of,
    reader_of_column,
    valid_numbers,
)
from messages_app.erasure.run import Erasure
from messages_app.messages.models import ArchiveExternalCall, ArchiveFunnel, ExternalCall, Funnel
from messages_app.messages.services import hub_rules
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.message_states import FINAL_STATES, MessageAction

statements = Statements("messages_app.erasure")


# How many are read at a time, each with its descendants; and how many are erased in one transaction.
_PAGE = 500
_BATCH = 200

LIVE, ARCHIVED, COLD = "message", "archive_message", "cold_message"
_CHANGED = "it is locked or has changed: run this again"
_SEARCHES = {LIVE: "found_live", ARCHIVED: "found_archived", COLD: "found_cold"}

# A table and a message id: a live and an archived message may have the same id.
Member = tuple[str, int]


@dataclass
class _Branches:
    """The messages of the key with their descendants."""

    members: Mapping[Member, set[Member]]
    depths: Mapping[Member, int]

    def blocked_members(self, staying: Collection[Member]) -> set[Member]:
        """Return the messages of the key that are one of these, or an ancestor of one."""
        return {root for root, branch in self.members.items() if not branch.isdisjoint(staying)}

    def choose_removable(self, staying: Collection[Member], depth: int | None = None) -> list[Member]:
        """
        Return the members of branches without these messages; with `depth`, only the members at that depth.
        """
        blocked = self.blocked_members(staying)
        free = {each for root, branch in self.members.items() if root not in blocked for each in branch}
        return sorted(each for each in free if depth in (None, self.depths[each]))


def erase_subject(erasure: Erasure) -> None:
    """Erase the messages of the key with all their rows: export files first, parents after children."""
    operations = ids_of("operations", {})
    gone: set[Member] = set()
    for place, search in _SEARCHES.items():
        first: int | None = MIN_ID
        values = {"key": erasure.key.value, "operations": operations, "most": _PAGE}
        while first is not None and (ids := ids_of(search, values | {"first": first})):
            first = following_id(ids[-1])
            # In a dry run, erased messages are still there when they are read again.
            new = [msg_id for msg_id in ids if (place, msg_id) not in gone]
            gone |= _erase_page(erasure, place, new)
    erasure.parents -= {msg_id for _, msg_id in gone}


def _erase_page(erasure: Erasure, place: str, ids: Sequence[int]) -> set[Member]:
    """Erase messages from the bottom up, so that the key still finds the remaining ones."""
    branches = _read_branches(place, ids)
    staying = dict(_find_kept(erasure, branches.depths))
    removable = branches.choose_removable(staying)
    remove_exports(erasure, [msg_id for _, msg_id in removable])
    for depth in sorted(set(branches.depths.values()), reverse=True):
        staying |= _erase_level(erasure, branches.choose_removable(staying, depth))
    # An export that has started since then may have read them before they were erased.
    remove_exports(erasure, [msg_id for _, msg_id in removable])
    for root in branches.blocked_members(staying):
        staying.setdefault(root, "one of its child messages is kept")
    for (where, msg_id), why in staying.items():
        erasure.leave(where, msg_id, why)
    return set(removable)


def _read_branches(place: str, ids: Sequence[int]) -> _Branches:
    members: dict[Member, set[Member]] = defaultdict(set)
    depths: dict[Member, int] = {}
    for root, where, msg_id, depth in statements.fetch_rows("branches", {"place": place, "ids": list(ids)}):
        members[place, root].add((where, msg_id))
        depths[where, msg_id] = max(depth, depths.get((where, msg_id), 0))
    return _Branches(members, depths)


def _find_kept(erasure: Erasure, members: Mapping[Member, int]) -> Iterator[tuple[Member, str]]:
    """Yield the messages that must not be erased, with the reason in words."""
    ids = [msg_id for _, msg_id in members]
    exporting = {msg_id: job_id for msg_id, job_id, state in exports_of(ids) if state not in ENDED_STATES}
    for place, msg_id, state, parent, job_id in statements.fetch_rows("looks", {"ids": ids}):
        member = (place, msg_id)
        if member not in members:
            continue
        if state not in FINAL_STATES:
            yield member, f"it is {state}: {_way_out(place, state)}"
        elif job_id or msg_id in exporting:
            yield member, f"job {job_id or exporting[msg_id]} includes it: wait for that job, or stop it"
        elif parent and members[member] == 0:
            erasure.parents.add(parent)


def _way_out(place: str, state: str) -> str:
    """
    Return how an unfinished message can become final. A cancel is only possible if the hub's rules allow it.
    """
    if place != LIVE:
        return "restore it, and wait until it is final"
    if MessageAction.CANCEL in hub_rules().allowed_actions(state):
        return "cancel it, or wait until it is final"
    return "wait until it is final"


def _erase_level(erasure: Erasure, level: Sequence[Member]) -> dict[Member, str]:
    """Erase messages of the same depth. Return messages that cannot be erased, with the reason."""
    faults = erase_from_parts(erasure, [msg_id for _, msg_id in level])
    staying = {member: faults[member[1]] for member in level if member[1] in faults}
    for place in (ARCHIVED, LIVE):
        ids = [msg_id for where, msg_id in level if where == place and msg_id not in faults]
        for start in range(0, len(ids), _BATCH):
            changed = _erase_batch(erasure, place, ids[start : start + _BATCH])
            staying |= {(place, msg_id): _CHANGED for msg_id in changed}
    return staying


def _erase_batch(erasure: Erasure, place: str, ids: Sequence[int]) -> list[int]:
    """Erase messages together or, if one has changed, one by one. Return the messages that stay."""
    if erasure.attempt_step(lambda: erase_rows(erasure, place, ids)):
        return []
    return [one for one in ids if not erasure.attempt_step(partial(erase_rows, erasure, place, [one]))]


def _make_reader(table: str) -> Reader:
    def read(rows: Sequence[object]) -> Values:
        query = sql.SQL(statements.read_text("values_of_message")).format(table=sql.Identifier(table))
        with connection.cursor() as cursor:
            cursor.execute(query.as_string(connection.connection), {"ids": valid_numbers(rows)})
            return [row[0] for row in cursor.fetchall()]

    return read


READERS = {
    "message": _make_reader("message"),
    "archive_message": _make_reader("archive_message"),
    "cold_message": _make_reader("cold_message"),
    "external_call": reader_of_column(ExternalCall, "pk", "entity_id"),
    "archive_external_call": reader_of_column(ArchiveExternalCall, "pk", "entity_id"),
    "funnel": reader_of_column(Funnel, "pk", "funnel_value"),
    "archive_funnel": reader_of_column(ArchiveFunnel, "pk", "funnel_value"),
}
