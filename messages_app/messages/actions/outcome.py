"""
The outcome of the last cancel or restart of a message, from its state, its history and the audit log.

Source: docs/contributing/spec/cleverbus.md, "Retries" (when the hub picks up a message again), "Restart and
cancel" (points 2 and 8).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.audit.models import AuditEntry
from messages_app.core.formatting import format_age
from messages_app.core.statements import Statements
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import expect_pickup, format_clock_time
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import FINAL_STATES, HUB_OWNED_STATES, MessageAction, MessageState

statements = Statements("messages_app.messages")


# How long the page shows the outcome. After that, only the history shows it.
SHOWN_FOR = timedelta(days=1)


# How long a page refreshes automatically. The hub picks up a message in less time.
REFRESHED_FOR = timedelta(minutes=10)


MAX_STEPS = 8


_ENTRIES_READ = 100


_EVENTS_READ = 50


@dataclass(frozen=True, kw_only=True)
class Step:
    """A state of the message after the action. Without an `actor`, the hub set it."""

    state: str
    at: datetime
    actor: str | None


@dataclass(frozen=True, kw_only=True)
class Followed:
    """
    The outcome of an action.

    Args:
        action: cancel or restart.
        total: whether the restart was from scratch.
        actor, at, reason: of the action.
        steps: the state that the action set and the states since then, oldest first; at most MAX_STEPS.
        left_out: whether earlier states are not listed.
        state: the current state of the message.
        verdict: one sentence with the outcome or, while it is open, the next event.
        is_open: whether an outcome is still to come, so that the page refreshes.
    """

    action: MessageAction
    total: bool
    actor: str
    at: datetime
    reason: str
    steps: list[Step]
    left_out: bool
    state: str
    verdict: str
    is_open: bool


def follow_last_action(
    message: MessageColumns, *, at: datetime, entries: Iterable[AuditEntry] | None = None
) -> Followed | None:
    """
    Return the outcome of the last action on `message`; None without an action in the last SHOWN_FOR.

    Args:
        entries: the message's entries in the audit log, newest first, if they were read already.
    """
    entry = _last_action(_newest_entries(message) if entries is None else entries, since=at - SHOWN_FOR)
    if entry is None:
        return None
    steps, left_out = _read_steps(message, entry)
    # The history was read after the message, so its state is newer.
    state = steps[-1].state
    verdict, is_open = _judge_attempt(entry, state, steps, at)
    return Followed(
        action=MessageAction(entry.action),
        total=bool(entry.details.get("total")),
        actor=entry.actor,
        at=entry.at,
        reason=entry.reason,
        steps=steps,
        left_out=left_out,
        state=state,
        verdict=verdict,
        is_open=is_open and at - entry.at < REFRESHED_FOR,
    )


def _newest_entries(message: MessageColumns) -> Iterable[AuditEntry]:
    """Return the newest entries, which also record views of payloads."""
    return AuditEntry.objects.filter(msg_id=message.pk).order_by("-entry_id")[:_ENTRIES_READ]


def _last_action(entries: Iterable[AuditEntry], *, since: datetime) -> AuditEntry | None:
    """Return the last completed action, if it is not older than `since`."""
    for entry in entries:
        done = entry.outcome == AuditEntry.Outcome.DONE and entry.action in set(MessageAction)
        if done:
            return entry if entry.at >= since else None
    return None


def _read_steps(message: MessageColumns, entry: AuditEntry) -> tuple[list[Step], bool]:
    """Return the states since the action, and whether earlier ones are missing."""
    newest = MessageEvent.objects.filter(msg_id=message.msg_id).order_by("-event_id")[:_EVENTS_READ]
    since: list[Step] = []
    for event in newest:
        is_change = _is_change_of(event, entry)
        if event.at < entry.at and not is_change:
            break
        since.append(Step(state=event.to_state, at=event.at, actor=event.actor))
        if is_change:
            break
    steps = since[MAX_STEPS - 1 :: -1] if len(since) > MAX_STEPS else since[::-1]
    return steps or _steps_without_history(message, entry), len(since) > MAX_STEPS


def _is_change_of(event: MessageEvent, entry: AuditEntry) -> bool:
    """Return whether the event is the change that the entry records; it is written just before the entry."""
    return event.actor == entry.actor and event.to_state == entry.after_state and event.at <= entry.at


def _steps_without_history(message: MessageColumns, entry: AuditEntry) -> list[Step]:
    """Return the states of a message without a history, as on a hub that the console is attached to."""
    steps = [Step(state=entry.after_state, at=entry.at, actor=entry.actor)]
    if message.state != entry.after_state:
        steps.append(Step(state=message.state, at=message.last_process_timestamp or entry.at, actor=None))
    return steps


def _judge_attempt(entry: AuditEntry, state: str, steps: list[Step], at: datetime) -> tuple[str, bool]:
    """Return the verdict, and whether an outcome is still to come."""
    has_changed = state != entry.after_state or len(steps) > 1
    return _VERDICTS[MessageAction(entry.action)](entry, state, steps, at, has_changed)


def _judge_cancel(
    entry: AuditEntry, state: str, steps: list[Step], at: datetime, has_changed: bool
) -> tuple[str, bool]:
    if has_changed:
        who = "The hub" if steps[-1].actor is None else steps[-1].actor
        return f"{who} overrode the cancel: it is now {state}.", state not in FINAL_STATES
    if entry.before_state in HUB_OWNED_STATES:
        return (
            f"It was {entry.before_state}, so the cancel is only a request: the hub may still overwrite it.",
            True,
        )
    return "It stays cancelled: the hub will not retry it.", False


def _judge_restart(
    entry: AuditEntry, state: str, steps: list[Step], at: datetime, has_changed: bool
) -> tuple[str, bool]:
    if not has_changed:
        return _write_pick_up(entry.at, at), True
    after = format_age(steps[-1].at - entry.at)
    verdicts: dict[str, str] = {
        MessageState.OK: f"It completed {after} after the restart.",
        MessageState.FAILED: f"It failed again permanently, {after} after the restart.",
        MessageState.CANCEL: "It was cancelled after that.",
        MessageState.PARTLY_FAILED: "It failed again; the hub will retry.",
        MessageState.POSTPONED: "The hub picked it up, but postponed it for another message.",
    }
    since = format_clock_time(steps[-1].at)
    return verdicts.get(state, f"The hub has picked it up: {state} since {since}."), state not in FINAL_STATES


# Each returns the verdict, and whether an outcome is still to come.
_VERDICTS: dict[MessageAction, Callable[[AuditEntry, str, list[Step], datetime, bool], tuple[str, bool]]] = {
    MessageAction.CANCEL: _judge_cancel,
    MessageAction.RESTART: _judge_restart,
}


def _write_pick_up(restarted_at: datetime, at: datetime) -> str:
    earliest, latest = expect_pickup(restarted_at)
    if at <= latest:
        return f"The hub picks it up between {format_clock_time(earliest)} and {format_clock_time(latest)}."
    time = format_clock_time(latest)
    return f"The hub should have picked it up by {time} and has not: the hub is busy or stopped."
