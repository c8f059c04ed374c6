"""The changes that the first messages of a reprocess job would make: a dry run of each, for a few seconds."""

import time
from collections import Counter

from django.db import OperationalError

from messages_app.core.clock import is_too_slow, time_limit
from messages_app.jobs.drivers.driver import last_id_of
from messages_app.jobs.models import Job
from messages_app.jobs.stores.message_store import store_filter
from messages_app.message_store.errors import MessageMissing
from messages_app.message_store.selectors.messages import matching_lines, with_refreshed
from messages_app.message_store.services.dry_run import DryRun, Effect, make_dry_run
from messages_app.shared.job_records import DryRunMessage, DryRunReport
from messages_app.shared.store_states import may_reprocess
from spark_tasks.actions.reprocess import reason_of

_MAX_MESSAGES, _SECONDS = 200, 20.0
_CHOOSING_MS = 5_000
# The number of messages that are checked to find some that the job would process.
_LOOKED_THROUGH = 2_000
_MAX_ERROR = 255


def dry_run_of(job: Job) -> DryRunReport:
    """
    Return the changes that an attempt at each of the job's first messages would make. Writes nothing.

    Returns:
        `by_status` counts messages by their status after the attempt; `records` counts new, changed and
        unchanged records, and records `ended` by a refresh; `messages` has the identifier, status, error and
        records of each message.
    """
    end = time.monotonic() + _SECONDS
    by_status: Counter[str] = Counter()
    records: Counter[str] = Counter()
    messages: list[DryRunMessage] = []
    for identifier in _first_of(job):
        if time.monotonic() > end:
            break
        try:
            attempt = make_dry_run(identifier)
        except MessageMissing:
            continue
        by_status[str(int(attempt.status))] += 1
        record = _record_of(identifier, attempt)
        records.update(record["records"])
        messages.append(record)
    return {
        "looked_at": len(messages),
        "by_status": dict(by_status),
        "records": dict(records),
        "messages": messages,
    }


def _first_of(job: Job) -> list[str]:
    """Return the identifiers of messages that the job would process; empty if the query takes too long."""
    rows = matching_lines(store_filter(job.filter).values).filter(pk__lte=last_id_of(job))
    chosen = with_refreshed(rows).values_list("message_identifier", "status", "refreshed")
    named = frozenset(job.options.get("refresh_entities") or ())
    try:
        with time_limit(_CHOOSING_MS):
            candidates = list(chosen.order_by("message_timestamp", "number")[:_LOOKED_THROUGH])
    except OperationalError as error:
        if not is_too_slow(error):
            raise
        return []
    free = [
        identifier
        for identifier, status, refreshed in candidates
        if may_reprocess(status) and reason_of(str(status or 0), refreshed, named=named) is None
    ]
    return free[:_MAX_MESSAGES]


def _record_of(identifier: str, attempt: DryRun) -> DryRunMessage:
    counts = {str(effect): attempt.count(effect) for effect in Effect}
    return {
        "identifier": identifier,
        "status": int(attempt.status),
        "error": attempt.errors[0][:_MAX_ERROR] if attempt.errors else "",
        "records": counts | {"ended": attempt.ended, "taken_back": attempt.taken_back},
    }
