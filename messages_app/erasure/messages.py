"""
The messages of a key, live and archived, and which of them may be erased; and the Parquet archive.

A message is erased with all its descendants, or stays with them: a part of a branch would not show its
subject.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import connection
from psycopg import sql

from messages_app.core.parameters import MIN_ID, following_id
from messages_app.core.statements import Statements
from messages_app.erasure.rows import (
    Reader,
    Values,
    all_tables,
    erase_beside,
    erase_rows,
    ids_of,
    numbers,
    reader_of_column,
)
from messages_app.erasure.run import Erasure, append_line
from messages_app.jobs.connections import own_dsn, spark_address
from messages_app.jobs.drivers.archive_location import archive_storage, remove_left_files
from messages_app.jobs.exports import folder_of
from messages_app.jobs.kinds.registry import file_kinds
from messages_app.jobs.models import Job
from messages_app.messages.models import ArchiveExternalCall, ArchiveFunnel, ExternalCall, Funnel
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from messages_app.messages.services import hub_rules
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.message_states import FINAL_STATES, MessageAction
from spark_tasks.database import connect_to_database
from spark_tasks.exports.files import remove_folder
from spark_tasks.parquet.erase import ErasedRows, Erasing, rewritten_jobs, sweep_rewritten
from spark_tasks.parquet.erase import erase_from_parts as erase_by_spark
from spark_tasks.parquet.parts import run_name
from spark_tasks.session import spark_session

export_statements = Statements("messages_app.jobs")
statements = Statements("messages_app.erasure")


# Export files with rows of the subject: the complete files are removed, and their jobs show it.


PLACE = "export"


def exports_of(msg_ids: Collection[int]) -> list[tuple[int, int, str]]:
    """Return (message, job, the job's state) of exports that have one of the messages."""
    return statements.rows("exports_of", {"ids": list(msg_ids), "file_kinds": file_kinds()})


def remove_exports(erasure: Erasure, msg_ids: Sequence[int]) -> None:
    """Remove the files of ended exports that have one of the messages. Exports in progress are reported."""
    for job_id, state in sorted({(job_id, state) for _, job_id, state in exports_of(msg_ids)}):
        if state in ENDED_STATES:
            _remove_export(erasure, job_id)
        else:
            erasure.leave(PLACE, job_id, "it has rows of the subject: wait for that job, or stop it")


def _remove_export(erasure: Erasure, job_id: int) -> None:
    with erasure.step() as taken:
        if export_statements.row("note_export_removal", {"job_id": job_id}) is None:
            return
        taken.add(PLACE, [job_id])
        if not erasure.dry_run:
            # Before the commit, because after it no row refers to them.
            remove_folder(folder_of(job_id))


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

    def blocked_members(self, kept: Collection[Member]) -> set[Member]:
        """Return the messages of the key that are one of these, or an ancestor of one."""
        return {root for root, found in self.members.items() if not found.isdisjoint(kept)}

    def going(self, kept: Collection[Member], depth: int | None = None) -> list[Member]:
        """
        Return the members of branches without these messages; with `depth`, only the members at that depth.
        """
        blocked = self.blocked_members(kept)
        free = {each for root, found in self.members.items() if root not in blocked for each in found}
        return sorted(each for each in free if depth in (None, self.depths[each]))


def erase(erasure: Erasure) -> None:
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
    kept = dict(_find_kept(erasure, branches.depths))
    going = branches.going(kept)
    remove_exports(erasure, [msg_id for _, msg_id in going])
    for depth in sorted(set(branches.depths.values()), reverse=True):
        kept |= _erase_level(erasure, branches.going(kept, depth))
    # An export that has started since then may have read them before they were erased.
    remove_exports(erasure, [msg_id for _, msg_id in going])
    for root in branches.blocked_members(kept):
        kept.setdefault(root, "one of its child messages is kept")
    for (where, msg_id), why in kept.items():
        erasure.leave(where, msg_id, why)
    return set(going)


def _read_branches(place: str, ids: Sequence[int]) -> _Branches:
    members: dict[Member, set[Member]] = defaultdict(set)
    depths: dict[Member, int] = {}
    for root, where, msg_id, depth in statements.rows("branches", {"place": place, "ids": list(ids)}):
        members[place, root].add((where, msg_id))
        depths[where, msg_id] = max(depth, depths.get((where, msg_id), 0))
    return _Branches(members, depths)


def _find_kept(erasure: Erasure, members: Mapping[Member, int]) -> Iterator[tuple[Member, str]]:
    """Yield the messages that must not be erased, with the reason in words."""
    ids = [msg_id for _, msg_id in members]
    exporting = {msg_id: job_id for msg_id, job_id, state in exports_of(ids) if state not in ENDED_STATES}
    for place, msg_id, state, parent, job_id in statements.rows("looks", {"ids": ids}):
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
    kept = {member: faults[member[1]] for member in level if member[1] in faults}
    for place in (ARCHIVED, LIVE):
        ids = [msg_id for where, msg_id in level if where == place and msg_id not in faults]
        for start in range(0, len(ids), _BATCH):
            changed = _erase_batch(erasure, place, ids[start : start + _BATCH])
            kept |= {(place, msg_id): _CHANGED for msg_id in changed}
    return kept


def _erase_batch(erasure: Erasure, place: str, ids: Sequence[int]) -> list[int]:
    """Erase messages together or, if one has changed, one by one. Return the messages that stay."""
    if erasure.attempt(lambda: erase_rows(erasure, place, ids)):
        return []
    return [one for one in ids if not erasure.attempt(partial(erase_rows, erasure, place, [one]))]


def _of_messages(table: str) -> Reader:
    def read(rows: Sequence[object]) -> Values:
        query = sql.SQL(statements.text("values_of_message")).format(table=sql.Identifier(table))
        with connection.cursor() as cursor:
            cursor.execute(query.as_string(connection.connection), {"ids": numbers(rows)})
            return [row[0] for row in cursor.fetchall()]

    return read


READERS = {
    "message": _of_messages("message"),
    "archive_message": _of_messages("archive_message"),
    "cold_message": _of_messages("cold_message"),
    "external_call": reader_of_column(ExternalCall, "pk", "entity_id"),
    "archive_external_call": reader_of_column(ArchiveExternalCall, "pk", "entity_id"),
    "funnel": reader_of_column(Funnel, "pk", "funnel_value"),
    "archive_funnel": reader_of_column(ArchiveFunnel, "pk", "funnel_value"),
}


# The Parquet archive: Spark rewrites parts without the rows of the subject.


COLD_PLACE = "cold_message"


def erase_from_parts(erasure: Erasure, msg_ids: Sequence[int]) -> dict[int, str]:
    """
    Remove messages from all files that have them, including the files that they were restored from.

    Returns the messages that stay, with the reason.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for part_id, msg_id in statements.rows("parts_of", {"ids": list(msg_ids)}):
        parts[part_id].append(msg_id)
    if not parts:
        return {}
    cold = list(ColdMessage.objects.filter(pk__in=msg_ids).values_list("pk", flat=True))
    if not erasure.dry_run:
        paths = ColdFile.objects.filter(part_id__in=parts).values_list("path", flat=True)
        append_line(erasure.key, {COLD_PLACE: cold, "cold_file": list(paths)})
    _erase_beside(erasure, cold)
    return _left_messages(erasure, _by_spark(erasure, parts), parts, cold)


def sweep_files() -> None:
    """Remove the files that a crash left next to the archive. No other erasure may run at the same time."""
    place = archive_storage()
    jobs = Job.objects.filter(pk__in=rewritten_jobs(place)).values_list("pk", "created_at")
    runs = [run_name(*job) for job in jobs]
    with connect_to_database(own_dsn()) as database:
        sweep_rewritten(database, place, runs=runs)
    remove_left_files()


def _by_spark(erasure: Erasure, parts: dict[int, list[int]]) -> list[ErasedRows]:
    erasing = Erasing(
        storage=archive_storage(),
        tables=all_tables(),
        actor=erasure.actor.username,
        reason=erasure.reason,
        subject=erasure.key.digest,
        dry_run=erasure.dry_run,
    )
    with spark_session(spark_address()) as spark:
        return erase_by_spark(spark, dsn=own_dsn(), erasing=erasing, parts=sorted(parts.items()))


def _erase_beside(erasure: Erasure, cold: Sequence[int]) -> None:
    if cold:
        with erasure.step() as taken:
            erase_beside(taken, cold)


def _left_messages(
    erasure: Erasure, found: Sequence[ErasedRows], parts: dict[int, list[int]], cold: Sequence[int]
) -> dict[int, str]:
    """
    Count the erased rows. Return messages of parts with errors, and messages that a job has claimed in
    between.
    """
    left: dict[int, str] = {}
    for one in found:
        erasure.rows += Counter({f"cold_{one.table}": one.rows})
        left |= dict.fromkeys(parts[one.part_id], one.fault) if one.fault else {}
    if not erasure.dry_run:
        still = ColdMessage.objects.filter(pk__in=cold).values_list("pk", flat=True)
        left = dict.fromkeys(still, "a job uses it: wait for that job, then run this again") | left
    return left
