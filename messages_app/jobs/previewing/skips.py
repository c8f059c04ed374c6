"""What a job would leave, and why, by the messages that were looked at."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.previewing.deadline import Deadline
from messages_app.jobs.previewing.looking import Seen
from messages_app.jobs.previewing.sql import statement
from messages_app.jobs.states import ACTIVE_STATES, HARMLESS_KINDS, JobKind, SkipReason, rivals_of
from messages_app.messages.states import FINAL_STATES
from spark_tasks.sql import statement as spark_statement

# Of the messages that were looked at, so many are looked at again for each reason.
_MOST_LOOKED_UP = 1_000
_MOST_CHILDREN = 50
_MOST_JOBS = 100
_OF_THE_ARCHIVE_TOO = frozenset({JobKind.RESTORE, JobKind.EXPORT, JobKind.GROUP_FAILURES})


@dataclass(frozen=True, kw_only=True)
class Skips:
    """
    Args:
        counts: about how many messages, by reason.
        doing: of those looked at, the ones that no reason was found for.
        is_exact: every message looked at was asked for every reason.
    """

    counts: dict[str, float]
    doing: list[Seen]
    is_exact: bool


def skips_of(
    kind: str,
    seen: Sequence[Seen],
    *,
    allowed: Collection[str] | None,
    cutoff: datetime | None,
    deadline: Deadline,
) -> Skips:
    """
    Return what would be left.

    Args:
        allowed: states in which the job may do something; None: all.
        cutoff: age limit of an archive job.
    """
    counts: dict[str, float] = {}
    doing = []
    for each in seen:
        reason = _reason(kind, each, allowed)
        if reason is None:
            doing.append(each)
        else:
            counts[reason] = counts.get(reason, 0) + each.weight
    is_exact = True
    for look_up in _look_ups(kind, cutoff):
        chosen, factor = some_of(doing, _MOST_LOOKED_UP)
        found = deadline.within(lambda: look_up([each.msg_id for each in chosen]), share=0.3)  # noqa: B023
        is_exact = is_exact and found is not None and len(chosen) == len(doing)
        for each in chosen:
            if reason := (found or {}).get(each.msg_id):
                counts[reason] = counts.get(reason, 0) + each.weight * factor
        doing = [each for each in doing if each.msg_id not in (found or {})]
    return Skips(counts=counts, doing=doing, is_exact=is_exact)


def some_of(seen: Sequence[Seen], most: int) -> tuple[Sequence[Seen], float]:
    """Return up to `most` of the messages, by chance, and by what their weights are to be multiplied."""
    if len(seen) <= most:
        return seen, 1.0
    chosen = random.Random(0).sample(seen, most)  # noqa: S311 (the same ones when asked again)
    return chosen, sum(each.weight for each in seen) / sum(each.weight for each in chosen)


def _reason(kind: str, each: Seen, allowed: Collection[str] | None) -> SkipReason | None:
    if each.is_archived and kind not in _OF_THE_ARCHIVE_TOO:
        return SkipReason.ARCHIVED
    if allowed is not None and each.state not in allowed:
        return SkipReason.STATE_CONFLICT
    return None


def _look_ups(kind: str, cutoff: datetime | None) -> list:
    """Return functions of message ids that give reasons by message."""
    look_ups = [] if kind in HARMLESS_KINDS else [partial(in_job, kind)]
    if kind == JobKind.ARCHIVE:
        look_ups.append(lambda ids: _kept_by_family(ids, cutoff))
    if kind == JobKind.RESTORE:
        look_ups.append(_live_again)
    return look_ups


def in_job(kind: str, ids: list[int]) -> dict[int, str]:
    """Return which rows another active job has that a job of this kind leaves them to."""
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False)
    jobs = list(active.filter(kind__in=sorted(rivals_of(kind))).values_list("pk", flat=True)[:_MOST_JOBS])
    if not jobs:
        return {}
    rows = _rows(spark_statement("items_of_jobs"), {"ids": ids, "job_ids": jobs})
    return {row[0]: SkipReason.IN_JOB for row in rows}


def _kept_by_family(ids: list[int], cutoff: datetime | None) -> dict[int, str]:
    """Look at parents and children alone; the plan closes whole families."""
    values = {
        "ids": ids,
        "final_states": sorted(FINAL_STATES),
        "cutoff": cutoff,
        "most": _MOST_CHILDREN,
    }
    return {
        msg_id: SkipReason.FAMILY_TOO_YOUNG if are_final else SkipReason.FAMILY_NOT_FINAL
        for msg_id, are_final in _rows(statement("family_reasons"), values)
    }


def _live_again(ids: list[int]) -> dict[int, str]:
    rows = _rows(statement("live_again"), {"ids": ids})
    return {msg_id: "msg_id_live" if by_id else "correlation_id_live" for msg_id, by_id in rows}


def _rows(query: str, values: dict[str, object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()
