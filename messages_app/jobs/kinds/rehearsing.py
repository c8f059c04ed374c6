"""What the first messages of a reprocess job would change: rehearsed one by one, for some seconds."""

import time
from collections import Counter

from django.db import OperationalError

from messages_app.jobs.models import Job
from messages_app.jobs.stores.message_store import store_filter
from messages_app.message_store import queries
from messages_app.message_store.services import Effect, MessageMissing, Rehearsal, rehearse
from messages_app.message_store.states import may_reprocess
from messages_app.web.time_limits import time_limit, was_too_slow
from spark_tasks.leaving import reason_of

_MOST, _SECONDS = 200, 20.0
_CHOOSING_MS = 5_000
# Of the messages looked through for some that the job would have.
_LOOKED_THROUGH = 2_000
_LONGEST_ERROR = 255


def rehearsal_of(job: Job) -> dict[str, object]:
    """
    Return what an attempt at each of the job's first messages would change; nothing is written.

    Returns:
        `looked_at`; `by_status` of how they would end; `records` new, changed and unchanged, `ended` by a
        refresh; and `messages`: of each its identifier, status, error and records.
    """
    end = time.monotonic() + _SECONDS
    by_status: Counter[str] = Counter()
    records: Counter[str] = Counter()
    messages = []
    for identifier in _first_of(job):
        if time.monotonic() > end:
            break
        try:
            found = rehearse(identifier)
        except MessageMissing:
            continue
        by_status[str(int(found.status))] += 1
        told = _told(identifier, found)
        records.update(told["records"])
        messages.append(told)
    return {
        "looked_at": len(messages),
        "by_status": dict(by_status),
        "records": dict(records),
        "messages": messages,
    }


def _first_of(job: Job) -> list[str]:
    """Return identifiers of messages that the job would have; none where choosing them takes too long."""
    rows = queries.matching(store_filter(job.filter).values).filter(pk__lte=job.last_msg_id)
    chosen = queries.with_refreshed(rows).values_list("message_identifier", "status", "refreshed")
    named = frozenset(job.options.get("refresh_entities") or ())
    try:
        with time_limit(_CHOOSING_MS):
            found = list(chosen.order_by("message_timestamp", "number")[:_LOOKED_THROUGH])
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return []
    free = [
        identifier
        for identifier, status, refreshed in found
        if may_reprocess(status) and reason_of(str(status or 0), refreshed, named=named) is None
    ]
    return free[:_MOST]


def _told(identifier: str, found: Rehearsal) -> dict[str, object]:
    counts = {str(effect): found.count(effect) for effect in Effect}
    return {
        "identifier": identifier,
        "status": int(found.status),
        "error": found.errors[0][:_LONGEST_ERROR] if found.errors else "",
        "records": counts | {"ended": found.ended, "taken_back": found.taken_back},
    }
