"""
The history of a message and its family: attempts, failures, calls and children, up to the demo's present.

It is simulated from receipt onwards and stops at the present, so the messages in progress follow from the
times. A SOFT child ends before the last HARD one, otherwise its parent would wait forever; stories.py has the
exceptions.

Source: docs/contributing/spec/cleverbus.md, "Transitions", "Error texts", "Retries", "Repair", "External
calls", "Confirmations", "Parents and children".
"""

from dataclasses import dataclass
from random import Random

from messages_app.demo import failures
from messages_app.demo.arrival_times import HOUR, Outage
from messages_app.demo.drafts import Draft, ExchangeDraft, ExternalCallDraft
from messages_app.demo.failures import Failure
from messages_app.demo.senders import Senders
from messages_app.demo.world import (
    CHILDREN,
    OUTAGE_TARGET,
    SPLIT_INTO,
    SPLITTER_OPERATION,
    ChildSpec,
    Operation,
)
from messages_app.shared.message_states import ExternalCallState, MessageState, ParentBinding

# countPartlyFailsBeforeFailed: the attempt after these is the last. Source:
# docs/contributing/spec/cleverbus.md, "Retries", "Settings of the hub".
PARTLY_FAILS = 3
_NODES = (1, 2)
# Of the messages that failed in the outage.
_RESTARTED_AND_OK = 0.15
_RESTARTED_JUST_NOW = 0.04


@dataclass(frozen=True, kw_only=True)
class Plot:
    """
    The planned course of a message.

    Args:
        failed_tries: how many attempts fail; one more than PARTLY_FAILS makes the message FAILED.
        failure: its error; a fatal one ends the attempts immediately.
        is_restarted: whether an operator restarts it after it FAILED, with success.
        is_cancelled: whether an operator cancels it after the failed attempts.
    """

    failed_tries: int = 0
    failure: Failure | None = None
    is_restarted: bool = False
    is_cancelled: bool = False


SMOOTH = Plot()


@dataclass(frozen=True, kw_only=True)
class Times:
    """The demo's present, seconds since 1970, and its outage."""

    now: float
    outage: Outage


def choose_plot(random: Random) -> Plot:
    """Return the course of an ordinary message."""
    luck = random.random()
    if luck < 0.905:
        return SMOOTH
    if luck < 0.945:
        return Plot(
            failed_tries=random.choices((1, 2, 3), (6, 3, 1))[0],
            failure=failures.choose_retried_failure(random),
        )
    if luck < 0.982:
        return make_failing_plot(random)
    if luck < 0.988:
        return Plot(
            failed_tries=PARTLY_FAILS + 1, failure=failures.choose_retried_failure(random), is_restarted=True
        )
    return Plot(
        failed_tries=random.randrange(1, 4),
        failure=failures.choose_retried_failure(random),
        is_cancelled=True,
    )


def make_failing_plot(random: Random) -> Plot:
    failure = failures.choose_failure(random)
    return Plot(failed_tries=1 if failure.is_fatal else PARTLY_FAILS + 1, failure=failure)


def play_draft(draft: Draft, plot: Plot, times: Times, random: Random) -> None:
    """Simulate the message up to the present."""
    at = draft.stored_at + 0.02 + random.expovariate(4)
    while at <= times.now:
        draft.start(at, node=_NODES[random.random() < 0.5])
        failure = _failure_of_try(draft, plot, at, times.outage)
        ends_at = at + 0.05 + random.expovariate(1.2) + (5.0 if failure is failures.TIMEOUT else 0.0)
        if ends_at > times.now:
            begin_calls(draft, at)
            return
        if failure is None:
            make_calls(draft, at, ends_at)
            draft.move(MessageState.OK, ends_at)
            return
        _fail_try(draft, failure, at, ends_at, random)
        if plot.is_cancelled and draft.failed_count == plot.failed_tries:
            draft.cancel(min(ends_at + 30, times.now))
            return
        at = _next_try_at(draft, plot, ends_at, times, random)


def _failure_of_try(draft: Draft, plot: Plot, at: float, outage: Outage) -> Failure | None:
    if draft.failed_count < plot.failed_tries:
        return plot.failure
    if outage.has_moment(at) and OUTAGE_TARGET in draft.operation.targets:
        return failures.UNAVAILABLE
    return None


def _fail_try(draft: Draft, failure: Failure, at: float, ends_at: float, random: Random) -> None:
    fail_calls(draft, failure, at, ends_at, random)
    is_final = failure.is_fatal or draft.failed_count >= PARTLY_FAILS
    draft.fail(failure, ends_at, is_final=is_final)


def _next_try_at(draft: Draft, plot: Plot, ends_at: float, times: Times, random: Random) -> float:
    """Return when the message is tried again; infinity if it is not."""
    if draft.state == MessageState.PARTLY_FAILED:
        return ends_at + 60 + random.random() * 60
    if plot.is_restarted:
        return _restart_draft(draft, ends_at + random.uniform(0.2, 6) * HOUR, times)
    if draft.failure is not failures.UNAVAILABLE or times.now < times.outage.ends_at:
        return float("inf")
    luck = random.random()
    if luck < _RESTARTED_JUST_NOW:
        return _restart_draft(draft, times.now - random.uniform(1, 55), times)
    if luck < _RESTARTED_JUST_NOW + _RESTARTED_AND_OK:
        return _restart_draft(draft, times.outage.ends_at + random.uniform(0.1, 0.9) * HOUR, times)
    return float("inf")


def _restart_draft(draft: Draft, at: float, times: Times) -> float:
    """
    Restart a message as an operator does, and return when the hub starts it: after 60 s at the earliest
    (docs/contributing/spec/cleverbus.md, "Retries").
    """
    if at >= times.now:
        return float("inf")
    draft.move(MessageState.PARTLY_FAILED, at)
    return at + 75


def begin_calls(draft: Draft, at: float) -> None:
    """Leave the first call that is not OK in progress."""
    for target in draft.operation.targets:
        call = _call_of(draft, target, at)
        if call.state != ExternalCallState.OK:
            call.end_in(ExternalCallState.PROCESSING, at)
            return


def make_calls(draft: Draft, at: float, ends_at: float) -> None:
    """Make every call that has not succeeded yet, with success."""
    for target in draft.operation.targets:
        call = _call_of(draft, target, at)
        if call.state == ExternalCallState.OK:
            continue
        call.end_in(ExternalCallState.OK, ends_at)
        if target.is_tracked:
            exchange = ExchangeDraft(target=target, sent_at=at + 0.01)
            exchange.answered_at = None if target.is_one_way else ends_at
            draft.exchanges.append(exchange)


def fail_calls(draft: Draft, failure: Failure, at: float, ends_at: float, random: Random) -> None:
    """Make the calls of an attempt that fails at its last one; none if it fails before."""
    if not failure.at_call or not draft.operation.targets:
        return
    *before, failing = _failing_order(draft, failure)
    for target in before:
        if _call_of(draft, target, at).state != ExternalCallState.OK:
            _call_of(draft, target, at).end_in(ExternalCallState.OK, ends_at)
    _call_of(draft, failing, at).end_in(ExternalCallState.FAILED, ends_at)
    if failing.is_tracked:
        exchange = ExchangeDraft(target=failing, sent_at=at + 0.01)
        # One in four has no response, as if the hub's node was restarted.
        if random.random() < 0.75:
            exchange.answered_at, exchange.failure = ends_at, failure
        draft.exchanges.append(exchange)


def _failing_order(draft: Draft, failure: Failure) -> tuple:
    """Return the targets up to the one that fails: the first in an outage, otherwise the last."""
    targets = draft.operation.targets
    return targets[:1] if failure is failures.UNAVAILABLE else targets


def _call_of(draft: Draft, target, at: float) -> ExternalCallDraft:
    for call in draft.calls:
        if call.target is target:
            return call
    call = ExternalCallDraft(target=target, at=at)
    draft.calls.append(call)
    return call


_MAX_SPLIT = 6


def children_of(operation: Operation, random: Random) -> tuple[ChildSpec, ...]:
    """Return the children of a message of this operation."""
    if operation.name == SPLITTER_OPERATION:
        return (SPLIT_INTO,) * random.randrange(2, _MAX_SPLIT + 1)
    return CHILDREN.get(operation.name, ())


def largest_size(operation: Operation) -> int:
    """Return the maximum number of messages in a family of this operation."""
    if operation.name == SPLITTER_OPERATION:
        return 1 + _MAX_SPLIT
    return 1 + _size_of(CHILDREN.get(operation.name, ()))


def _size_of(specs: tuple[ChildSpec, ...]) -> int:
    return sum(1 + _size_of(spec.children) for spec in specs)


def grow_family(
    parent: Draft,
    specs: tuple[ChildSpec, ...],
    *,
    plots: dict[str, Plot],
    senders: Senders,
    times: Times,
    random: Random,
) -> None:
    """
    Give descendants to a parent whose route has ended, and set its resulting state.

    `plots` has the course of the first child of an operation, and is consumed; all other children succeed.
    """
    parent.move(MessageState.WAITING, parent.processed_at)
    for index, spec in enumerate(specs):
        child = senders.make_child(parent, spec, index)
        play_draft(child, plots.pop(spec.operation, SMOOTH), times, random)
        if spec.children and child.state == MessageState.OK:
            child.history.pop()
            child.state = MessageState.PROCESSING
            grow_family(child, spec.children, plots=plots, senders=senders, times=times, random=random)
    settle_parent(parent)


def settle_parent(parent: Draft) -> None:
    """Give a waiting parent the state that follows from its children."""
    hard = [child for child in parent.children if child.binding == ParentBinding.HARD]
    failed = next((child for child in hard if child.state == MessageState.FAILED), None)
    if failed is not None:
        parent.failure, parent.failed_count = failed.failure, failed.failed_count
        parent.move(MessageState.FAILED, failed.processed_at + 0.01)
    elif hard and all(child.state == MessageState.OK for child in parent.children):
        last = max(hard, key=lambda child: child.processed_at)
        _end_soft_ones_before(last, parent.children)
        parent.move(MessageState.OK, last.processed_at + 0.01)


def _end_soft_ones_before(last: Draft, children: list[Draft]) -> None:
    """Move the end of the last HARD child after the ends of the SOFT ones, so that all others are OK."""
    latest = max(child.processed_at for child in children)
    if latest > last.processed_at:
        state_before, state, _ = last.history[-1]
        last.history[-1] = (state_before, state, latest + 0.01)
        last.processed_at = latest + 0.01


def make_family(
    operation: Operation, received_at: float, *, senders: Senders, times: Times, random: Random
) -> Draft:
    """Return an ordinary message with its children, if it has any."""
    root = senders.make_root(operation, received_at)
    specs = children_of(operation, random)
    if not specs:
        play_draft(root, choose_plot(random), times, random)
        return root
    play_draft(root, SMOOTH if random.random() < 0.97 else make_failing_plot(random), times, random)
    if root.state == MessageState.OK:
        root.history.pop()
        root.state = MessageState.PROCESSING
        plots = _choose_plots(specs, random)
        grow_family(root, specs, plots=plots, senders=senders, times=times, random=random)
    return root


def _choose_plots(specs: tuple[ChildSpec, ...], random: Random) -> dict[str, Plot]:
    """Choose for one family in twelve a HARD child that fails permanently, or for some attempts."""
    luck = random.random()
    if luck > 0.08:
        return {}
    hard = random.choice([spec for spec in specs if spec.binding == ParentBinding.HARD])
    return {hard.operation: make_failing_plot(random) if luck < 0.03 else choose_plot(random)}
