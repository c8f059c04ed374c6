"""
Preview and execution of one action on several selected messages.

Each message has its own transaction, and is skipped if it is no longer in the state that the user saw. The
same request sent twice therefore changes nothing the second time. A job does the same for more than
MAX_SELECTED.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from django.db import OperationalError

from messages_app.audit import services as audit
from messages_app.core.error_handlers import problem_of
from messages_app.messages import services
from messages_app.messages.available_actions import ActionSpec, why_not
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, ExternalCall, Message
from messages_app.messages.tables import locate_all
from messages_app.shared.external_calls import WillBe, predict_call
from messages_app.shared.message_states import ExternalCallState, MessageAction

# Actions wait for locks that the hub holds. After this time, the remaining messages are skipped and reported.
MAX_SECONDS = 20
_CALLS_READ = 5000
_COLUMNS = (
    "msg_id",
    "state",
    "service_name",
    "operation_name",
    "correlation_id",
    "msg_timestamp",
    "failed_count",
    "parent_msg_id",
)


@dataclass(frozen=True)
class Target:
    """A selected message, and the state in which the user saw it."""

    msg_id: int
    state: str


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """
    One selected message.

    Args:
        message: None if no message has the id.
        why_not: why the action is not possible; empty if it is.
    """

    msg_id: int
    message: MessageColumns | None
    why_not: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    The preview of an action on the selected messages.

    Args:
        candidates: in the order of the selection.
        calls: (operation, number of calls sent again, number of these that succeeded before), most frequent
            first; empty for a cancel.
        calls_more: whether there are more external calls than were read.
    """

    candidates: list[Candidate]
    calls: list[tuple[str, int, int]]
    calls_more: bool

    @property
    def targets(self) -> list[Target]:
        """The messages for which the action is possible."""
        return [
            Target(each.msg_id, each.message.state)
            for each in self.candidates
            if each.message and not each.why_not
        ]

    @property
    def states(self) -> list[tuple[str, int]]:
        """(state, number) of the messages that exist, most frequent first."""
        return Counter(each.message.state for each in self.candidates if each.message).most_common()

    @property
    def refused(self) -> int:
        return len(self.candidates) - len(self.targets)

    @property
    def repeated(self) -> int:
        """The number of calls that succeeded before and are sent again."""
        return sum(succeeded for _, _, succeeded in self.calls)


class Result(StrEnum):
    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome for one message: its current state, if known, and the reason if it was not changed."""

    msg_id: int
    result: Result
    state: str
    why: str


def plan_actions(msg_ids: Sequence[int], spec: ActionSpec) -> Plan:
    """Preview an action on these messages."""
    messages = locate_all(msg_ids, lambda rows: rows.only(*_COLUMNS), tables=(Message, ArchiveMessage))
    resent = services.resent_as_of(messages) if spec.act_on_resent else {}
    candidates = [_make_candidate(msg_id, messages.get(msg_id), spec.action, resent) for msg_id in msg_ids]
    if not spec.repeats_calls:
        return Plan(candidates=candidates, calls=[], calls_more=False)
    allowed = {each.msg_id: each.message for each in candidates if each.message and not each.why_not}
    calls, more = _count_calls(allowed, total=spec.total)
    return Plan(candidates=candidates, calls=calls, calls_more=more)


def act_on_targets(
    targets: Sequence[Target],
    spec: ActionSpec,
    *,
    actor: audit.Actor,
    reason: str,
    seconds: float = MAX_SECONDS,
) -> Iterator[Outcome]:
    """
    Act on each target that is still in its state, and yield the outcomes in the same order.

    Args:
        seconds: the time after which the remaining targets are skipped.
    """
    started = monotonic()
    for target in targets:
        if monotonic() - started > seconds:
            why = "Skipped because the others took too long. Try again."
            yield _refuse_target(target, why, state=target.state)
            continue
        yield _act_on(target, spec, actor=actor, reason=reason)


def _act_on(target: Target, spec: ActionSpec, *, actor: audit.Actor, reason: str) -> Outcome:
    try:
        message = spec.act(msg_id=target.msg_id, actor=actor, reason=reason, expected_state=target.state)
    except services.ActionRefused as refusal:
        return _refuse_target(target, str(refusal), state=refusal.current_state)
    except services.MessageNotFound as error:
        return _refuse_target(target, str(error))
    except OperationalError as error:
        problem = problem_of(error)
        return _refuse_target(target, problem.detail if problem else str(error))
    return Outcome(msg_id=target.msg_id, result=Result.DONE, state=message.state, why="")


def _refuse_target(target: Target, why: str, *, state: str = "") -> Outcome:
    return Outcome(msg_id=target.msg_id, result=Result.REFUSED, state=state, why=why)


def _make_candidate(
    msg_id: int, message: MessageColumns | None, action: MessageAction, resent: Mapping[int, int]
) -> Candidate:
    """Return a message with the reason against the action. `resent` has the messages that it leaves out."""
    if message is None:
        return Candidate(msg_id=msg_id, message=None, why_not="There is no message with this id.")
    reason = why_not(action, message.state, isinstance(message, ArchiveMessage))
    if not reason and msg_id in resent:
        reason = f"It was corrected and resent as message {resent[msg_id]}: {action} it on its own page."
    return Candidate(msg_id=msg_id, message=message, why_not=reason)


def _count_calls(
    messages: dict[int, MessageColumns], *, total: bool
) -> tuple[list[tuple[str, int, int]], bool]:
    """Count by operation the calls that are sent again; also return whether some calls were not read."""
    rows = ExternalCall.objects.filter(msg_id__in=messages).order_by("msg_id", "call_id")
    calls = list(rows[: _CALLS_READ + 1])
    sent_again: Counter[str] = Counter()
    succeeded: Counter[str] = Counter()
    for call in calls[:_CALLS_READ]:
        treatment, _ = predict_call(call, messages[call.msg_id], total=total)
        if treatment == WillBe.SENT_AGAIN:
            sent_again[call.shown_operation] += 1
            succeeded[call.shown_operation] += call.state == ExternalCallState.OK
    counts = [(name, number, succeeded[name]) for name, number in sent_again.most_common()]
    return counts, len(calls) > _CALLS_READ
