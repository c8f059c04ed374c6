"""
Notes the events that webhooks are called for: ended jobs, and messages that reached a final state.

An event is noted in one transaction with the record that it was, so each is noted once, however many
processes note at the same time. Messages are read from the history that the trigger of the hub's table writes
(`message_event`), in bounded steps: a storm of final messages delays their webhooks and nothing else.
"""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from rest_framework import serializers

from messages_app.core.filters.address import as_query
from messages_app.core.representation import represent_value
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of_jobs
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from messages_app.messages.filters.branches import split_into_querysets
from messages_app.messages.filters.message_filter import parse_message_filter
from messages_app.shared.message_states import FINAL_STATES

statements = Statements("messages_app.jobs.webhooks")

MESSAGES_A_DELIVERY = 500
_JOBS_A_STEP = 200
EVENTS_A_STEP = 5_000


class EndedJobSerializer(serializers.Serializer[object]):
    """The facts that are sent about a job, from its `JobProgress`. `GET jobs/{job_id}/` has the others."""

    job_id = serializers.IntegerField(source="job.job_id")
    kind = serializers.CharField(source="job.kind")
    state = serializers.CharField(source="job.state")
    dry_run = serializers.BooleanField(source="job.dry_run")
    planned = serializers.IntegerField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()
    failed = serializers.IntegerField()
    created_at = serializers.DateTimeField(source="job.created_at")
    finished_at = serializers.DateTimeField(source="job.finished_at")


class Change(NamedTuple):
    """A change of a message's state. `event_id` is its number in the history."""

    event_id: int
    msg_id: int
    state: str
    at: datetime


def note_events(*, seconds: float) -> None:
    """Note what has happened, for up to `seconds`. The next call continues."""
    end = time.monotonic() + seconds
    while note_ended_jobs() and time.monotonic() < end:
        pass
    while note_messages() and time.monotonic() < end:
        pass


def note_ended_jobs() -> bool:
    """Note the ends of some jobs. Return whether there may be more."""
    with transaction.atomic():
        ended = statements.fetch_column("note_ends", {"most": _JOBS_A_STEP})
        hooks = _hooks_of(WebhookEvent.JOB_ENDED)
        jobs = Job.objects.filter(pk__in=ended).order_by("job_id") if hooks else []
        WebhookDelivery.objects.bulk_create(
            WebhookDelivery(webhook=hook, job=represent_value(EndedJobSerializer, progress))
            for progress in progress_of_jobs(list(jobs))
            for hook in hooks
            if _is_for_job(hook, progress.job)
        )
    return len(ended) == _JOBS_A_STEP


def _is_for_job(hook: Webhook, job: Job) -> bool:
    """Whether a webhook is called for a job, which ended after the webhook was created."""
    is_later = job.finished_at is not None and job.finished_at >= hook.created_at
    return is_later and (not hook.kinds or job.kind in hook.kinds)


def note_messages() -> bool:
    """Note some messages. Return whether there may be more. Another process may be doing it."""
    with transaction.atomic():
        position = statements.fetch_row("lock_position", {})
        if position is None:
            return False
        read_to, safe_to, mark_to, mark_xid = position
        hooks = _hooks_of(WebhookEvent.MESSAGES_FINAL)
        if not hooks:
            return _pass_over(read_to)
        if statements.only_row("are_ended", {"mark_xid": mark_xid})[0]:
            safe_to = mark_to
        bounds = {"read_to": read_to, "safe_to": safe_to, "most": EVENTS_A_STEP}
        changes = [Change(*row) for row in statements.fetch_rows("next_events", bounds)]
        if changes:
            read_to = changes[-1].event_id
            for hook in hooks:
                _store_deliveries(hook, [change for change in changes if change.state in FINAL_STATES])
        if len(changes) < EVENTS_A_STEP:
            read_to = safe_to
        is_new_mark = mark_to == safe_to
        if is_new_mark:
            (mark_to,) = statements.only_row("last_event", {})
            (mark_xid,) = statements.only_row("next_transaction", {})
        _move_position(read_to, safe_to, mark_to, mark_xid)
    return read_to < safe_to or (is_new_mark and safe_to < mark_to)


def _pass_over(read_to: int) -> bool:
    """Move to the end of the history, because no webhook is for messages."""
    (last,) = statements.only_row("last_event", {})
    if last > read_to:
        _move_position(last, last, last, 0)
    return False


def _move_position(read_to: int, safe_to: int, mark_to: int, mark_xid: int) -> None:
    values = {"read_to": read_to, "safe_to": safe_to, "mark_to": mark_to, "mark_xid": mark_xid}
    if statements.count("move_position", values) != 1:
        raise RuntimeError("The position in the history of messages is missing.")


def _hooks_of(event: WebhookEvent) -> list[Webhook]:
    return list(Webhook.objects.filter(event=event, enabled=True).order_by("pk"))


def _store_deliveries(hook: Webhook, changes: Sequence[Change]) -> None:
    """Store the deliveries of a webhook for the changes that it is called for."""
    states = frozenset(hook.states or FINAL_STATES)
    fitting = [change for change in changes if change.state in states and change.at >= hook.created_at]
    if hook.filter:
        matching = matching_ids(hook.filter, [change.msg_id for change in fitting])
        fitting = [change for change in fitting if change.msg_id in matching]
    for start in range(0, len(fitting), MESSAGES_A_DELIVERY):
        some = fitting[start : start + MESSAGES_A_DELIVERY]
        delivery = WebhookDelivery.objects.create(webhook=hook, messages=len(some))
        WebhookMessage.objects.bulk_create(
            WebhookMessage(delivery_id=delivery.pk, **change._asdict()) for change in some
        )


def matching_ids(filter: dict[str, object], msg_ids: Sequence[int]) -> set[int]:
    """Return which messages match a filter, wherever they are: they may be archived already."""
    parsed = parse_message_filter(as_query(filter | {"archived": "any"}), user=None, other_parameters=())
    return {
        msg_id
        for rows in split_into_querysets(parsed, with_parquet=True)
        for msg_id in rows.filter(msg_id__in=msg_ids).values_list("msg_id", flat=True)
    }
