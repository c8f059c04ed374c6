"""
What happens to one message: tries, failures, calls, until it is final or the demo's present is reached.

A life is played from receipt onwards and stops at the present, so what is in flight follows from the times.
Source of the rules: docs/spec/cleverbus.md, "Transitions", "Error texts", "Retries", "Repair",
"External calls", "Confirmations".
"""

from dataclasses import dataclass
from random import Random

from messages_app.demo import failures
from messages_app.demo.drafts import Draft, ExchangeDraft, ExternalCallDraft
from messages_app.demo.failures import Failure
from messages_app.demo.rhythm import HOUR, Outage
from messages_app.demo.world import OUTAGE_TARGET
from messages_app.shared.message_states import ExternalCallState, MessageState

# countPartlyFailsBeforeFailed: the attempt after these is the last. Source: docs/spec/cleverbus.md,
# "Retries", "Settings of the hub".
PARTLY_FAILS = 3
_NODES = (1, 2)
# Of the messages that failed in the outage.
_RESTARTED_AND_OK = 0.15
_RESTARTED_JUST_NOW = 0.04


@dataclass(frozen=True, kw_only=True)
class Plot:
    """
    How a life is to go.

    Args:
        failed_tries: how many attempts fail; one more than PARTLY_FAILS makes the message FAILED.
        failure: with what; a fatal one ends the life at once.
        is_restarted: whether an operator restarts it after it FAILED, and all goes well.
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


def any_plot(random: Random) -> Plot:
    """Return how an ordinary message fares."""
    luck = random.random()
    if luck < 0.905:
        return SMOOTH
    if luck < 0.945:
        return Plot(
            failed_tries=random.choices((1, 2, 3), (6, 3, 1))[0], failure=failures.retried_failure(random)
        )
    if luck < 0.982:
        return failing_plot(random)
    if luck < 0.988:
        return Plot(
            failed_tries=PARTLY_FAILS + 1, failure=failures.retried_failure(random), is_restarted=True
        )
    return Plot(
        failed_tries=random.randrange(1, 4), failure=failures.retried_failure(random), is_cancelled=True
    )


def failing_plot(random: Random) -> Plot:
    failure = failures.any_failure(random)
    return Plot(failed_tries=1 if failure.is_fatal else PARTLY_FAILS + 1, failure=failure)


def play(draft: Draft, plot: Plot, times: Times, random: Random) -> None:
    """Live the message's life up to the present."""
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
    if outage.covers(at) and OUTAGE_TARGET in draft.operation.targets:
        return failures.UNAVAILABLE
    return None


def _fail_try(draft: Draft, failure: Failure, at: float, ends_at: float, random: Random) -> None:
    fail_calls(draft, failure, at, ends_at, random)
    is_final = failure.is_fatal or draft.failed_count >= PARTLY_FAILS
    draft.fail(failure, ends_at, is_final=is_final)


def _next_try_at(draft: Draft, plot: Plot, ends_at: float, times: Times, random: Random) -> float:
    """Return when the message is tried again, infinity if it is not."""
    if draft.state == MessageState.PARTLY_FAILED:
        return ends_at + 60 + random.random() * 60
    if plot.is_restarted:
        return _restart(draft, ends_at + random.uniform(0.2, 6) * HOUR, times)
    if draft.failure is not failures.UNAVAILABLE or times.now < times.outage.ends_at:
        return float("inf")
    luck = random.random()
    if luck < _RESTARTED_JUST_NOW:
        return _restart(draft, times.now - random.uniform(1, 55), times)
    if luck < _RESTARTED_JUST_NOW + _RESTARTED_AND_OK:
        return _restart(draft, times.outage.ends_at + random.uniform(0.1, 0.9) * HOUR, times)
    return float("inf")


def _restart(draft: Draft, at: float, times: Times) -> float:
    """
    Restart as an operator does, and return when the hub takes it up: after 60 s at the earliest
    (docs/spec/cleverbus.md, "Retries").
    """
    if at >= times.now:
        return float("inf")
    draft.move(MessageState.PARTLY_FAILED, at)
    return at + 75


def begin_calls(draft: Draft, at: float) -> None:
    """Leave the first call that is not OK in progress."""
    for target in draft.operation.targets:
        call = _call(draft, target, at)
        if call.state != ExternalCallState.OK:
            call.end(ExternalCallState.PROCESSING, at)
            return


def make_calls(draft: Draft, at: float, ends_at: float) -> None:
    """Make every call that is not through yet, with success."""
    for target in draft.operation.targets:
        call = _call(draft, target, at)
        if call.state == ExternalCallState.OK:
            continue
        call.end(ExternalCallState.OK, ends_at)
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
        if _call(draft, target, at).state != ExternalCallState.OK:
            _call(draft, target, at).end(ExternalCallState.OK, ends_at)
    _call(draft, failing, at).end(ExternalCallState.FAILED, ends_at)
    if failing.is_tracked:
        exchange = ExchangeDraft(target=failing, sent_at=at + 0.01)
        # One in four is lost without a word, as when the hub's node was restarted.
        if random.random() < 0.75:
            exchange.answered_at, exchange.failure = ends_at, failure
        draft.exchanges.append(exchange)


def _failing_order(draft: Draft, failure: Failure) -> tuple:
    """Return the targets up to the one that fails: the first in an outage, else the last."""
    targets = draft.operation.targets
    return targets[:1] if failure is failures.UNAVAILABLE else targets


def _call(draft: Draft, target, at: float) -> ExternalCallDraft:
    for call in draft.calls:
        if call.target is target:
            return call
    call = ExternalCallDraft(target=target, at=at)
    draft.calls.append(call)
    return call
