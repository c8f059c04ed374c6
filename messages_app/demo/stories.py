"""
The cases that a support person should find in the demo, each at its time: every state, and every way to be
stuck.

A story yields whole families, among the ordinary ones of `make_family`. Source of the situations:
docs/contributing/spec/cleverbus.md, "Repair", "Parents and children", "Funnels", "Guaranteed order".
"""

from collections.abc import Iterator
from random import Random

from messages_app.demo import failures
from messages_app.demo.arrival_times import DAY, HOUR
from messages_app.demo.drafts import Draft
from messages_app.demo.lives import (
    PARTLY_FAILS,
    SMOOTH,
    Plot,
    Times,
    begin_calls,
    children_of,
    grow_family,
    make_calls,
    play_draft,
)
from messages_app.demo.senders import Senders
from messages_app.demo.world import OPERATIONS
from messages_app.shared.message_states import MessageState

MINUTE = 60.0
# One set of stories for this many messages, and a limited number of sets, so that each story is easy to find.
_MESSAGES_PER_SET = 100_000
_MAX_SETS = 6
# Of the run that met the outage.
_INVOICES = 60
# Of the run in which a third has no postal code.
_CUSTOMERS = 60
_INVALID = Plot(failed_tries=1, failure=failures.INVALID_INPUT)
_CANCELLED = Plot(failed_tries=2, failure=failures.TIMEOUT, is_cancelled=True)
_BROKEN = Plot(failed_tries=PARTLY_FAILS + 1, failure=failures.NO_CONNECTION)


class Storyteller:
    """Makes the families of all stories; their ids are marked, so that they differ from ordinary ones."""

    def __init__(self, *, times: Times, random: Random) -> None:
        self._times = times
        self._now = times.now
        self._random = random
        self._senders = Senders(random=random, name="X")
        self._stretch = 1.0

    def make_families(self, *, count: int) -> list[Draft]:
        """Return the roots for a demo of `count` messages, by time; their families are at most half of it."""
        room = count // 2
        families: list[Draft] = []
        for _ in range(max(1, min(_MAX_SETS, count // _MESSAGES_PER_SET))):
            for family in self._one_set():
                room -= family_size(family)
                if room < 0:
                    return sorted(families, key=_received_at)
                families.append(family)
            # The next set happens a little earlier or later than this one.
            self._stretch = self._random.uniform(0.9, 1.1)
        return sorted(families, key=_received_at)

    def _one_set(self) -> Iterator[Draft]:
        """Yield every story once, the shortest first, so that a small demo has all states too."""
        yield self._sent_draft("createInvoice", ago=2)
        yield self._queued_draft("submitReading", ago=6)
        yield self._running_draft("postPayment", ago=20)
        yield self._retrying_draft("updateCustomer", ago=3 * MINUTE)
        yield self._unanswered_draft(ago=25 * MINUTE)
        yield self._cancelled_draft("changeTariff", ago=4 * DAY)
        yield self._make_family("createOrder", ago=3 * DAY, plots={"createInvoice": _CANCELLED})
        yield from self._stuck_funnel(head=MessageState.WAITING_FOR_RES, head_ago=8 * MINUTE, behind=6)
        yield from self._order_chain(ago=30 * HOUR, behind=8)
        yield self._make_family("createSubscription", ago=26 * HOUR, plots={"replaceMeter": _BROKEN})
        yield from self._families_at_work()
        yield from self._more_in_flight()
        yield from self._old_hangs()
        yield from self._run_without_postal_codes()
        yield from self._run_in_the_outage()

    def _more_in_flight(self) -> Iterator[Draft]:
        for ago in (1, 4, 9):
            yield self._sent_draft("submitReading", ago=ago)
            yield self._queued_draft("updateCustomer", ago=ago + 2)
            yield self._running_draft("createInvoice", ago=3 * ago)
        # Near the age at which the hub repairs a message that stays in PROCESSING (300 s).
        yield self._running_draft("refundPayment", ago=4 * MINUTE)
        for minutes in (1.6, 1.6, 1.6, 3.2, 3.2, 4.8):
            yield self._retrying_draft("submitReading", ago=minutes * MINUTE)
        for hours in (0.1, 0.5, 2, 9):
            yield self._unanswered_draft(ago=hours * HOUR)

    def _old_hangs(self) -> Iterator[Draft]:
        """Yield unnoticed problems: answers that never arrived, parents that wait forever."""
        for days in (9, 40, 130):
            yield self._unanswered_draft(ago=days * DAY)
        for days in (12, 75, 200):
            yield self._make_family("createOrder", ago=days * DAY, plots={"createInvoice": _CANCELLED})
        soft = Plot(failed_tries=1, failure=failures.INVALID_INPUT)
        yield self._make_family("createSubscription", ago=6 * DAY, plots={"sendEmail": soft})
        yield self._self_blocked(ago=5 * DAY)
        yield from self._stuck_funnel(head=MessageState.PROCESSING, head_ago=2 * MINUTE, behind=2)

    def _run_in_the_outage(self) -> Iterator[Draft]:
        """Yield a series of invoices during the outage: the most frequent failure in a demo of any size."""
        outage = self._times.outage
        # The last one uses up its attempts and fails permanently before it ends.
        step = (outage.ends_at - outage.begins_at - 15 * MINUTE) / _INVOICES
        for number in range(_INVOICES):
            received_at = outage.begins_at + (number + self._random.random()) * step
            draft = self._senders.make_root(OPERATIONS["createInvoice"], received_at)
            play_draft(draft, SMOOTH, self._times, self._random)
            yield draft

    def _run_without_postal_codes(self) -> Iterator[Draft]:
        """Yield customers of whom the incomplete ones fail, so that an analysis has a cause to find."""
        plots = [_INVALID, SMOOTH, SMOOTH]
        for number in range(_CUSTOMERS):
            draft = self._sent_draft("updateCustomer", ago=5 * HOUR - number * 2 * MINUTE)
            play_draft(draft, plots[number % len(plots)], self._times, self._random)
            yield draft

    def _families_at_work(self) -> Iterator[Draft]:
        retry = Plot(failed_tries=3, failure=failures.TIMEOUT)
        for ago in (2, 3, 3.5):
            yield self._make_family("createOrder", ago=ago * MINUTE, plots={"createInvoice": retry})
            yield self._make_family("createSubscription", ago=ago * MINUTE, plots={"replaceMeter": retry})
        yield self._make_family("submitReadings", ago=0.6, plots={})

    def _sent_draft(self, name: str, *, ago: float) -> Draft:
        return self._senders.make_root(OPERATIONS[name], self._now - ago * self._stretch)

    def _queued_draft(self, name: str, *, ago: float) -> Draft:
        draft = self._sent_draft(name, ago=ago)
        draft.queued_at, draft.node = draft.received_at + 0.1, 1
        draft.move(MessageState.IN_QUEUE, draft.queued_at)
        return draft

    def _running_draft(self, name: str, *, ago: float) -> Draft:
        draft = self._sent_draft(name, ago=ago)
        draft.start(draft.received_at + 0.1, node=2)
        begin_calls(draft, draft.started_at)
        return draft

    def _retrying_draft(self, name: str, *, ago: float) -> Draft:
        """Return a message whose last attempt failed within the minute."""
        draft = self._sent_draft(name, ago=ago)
        plot = Plot(failed_tries=PARTLY_FAILS, failure=failures.NO_CONNECTION)
        quick = Times(now=self._now - 1, outage=self._times.outage)
        play_draft(draft, plot, quick, self._random)
        return draft

    def _unanswered_draft(self, *, ago: float) -> Draft:
        draft = self._sent_draft("createWorkOrder", ago=ago)
        draft.start(draft.received_at + 0.1, node=1)
        make_calls(draft, draft.started_at, draft.started_at + 0.4)
        draft.move(MessageState.WAITING_FOR_RES, draft.started_at + 0.5)
        return draft

    def _cancelled_draft(self, name: str, *, ago: float) -> Draft:
        draft = self._sent_draft(name, ago=ago)
        play_draft(draft, _CANCELLED, self._times, self._random)
        return draft

    def _make_family(self, name: str, *, ago: float, plots: dict[str, Plot]) -> Draft:
        root = self._sent_draft(name, ago=ago)
        root.start(root.received_at + 0.1, node=1)
        specs = children_of(root.operation, self._random)
        grow_family(
            root, specs, plots=dict(plots), senders=self._senders, times=self._times, random=self._random
        )
        return root

    def _stuck_funnel(self, *, head: MessageState, head_ago: float, behind: int) -> Iterator[Draft]:
        """Yield a message that holds its funnel value, and the messages that wait behind it."""
        first = self._sent_draft("postPayment", ago=head_ago)
        first.start(first.received_at + 0.1, node=1)
        if head is MessageState.WAITING_FOR_RES:
            make_calls(first, first.started_at, first.started_at + 0.4)
            first.move(head, first.started_at + 0.5)
        yield first
        for number in range(1, behind + 1):
            follower = self._sent_draft("refundPayment", ago=head_ago * (1 - number / (behind + 1)))
            follower.funnel_values = first.funnel_values
            follower.object_id = first.object_id
            self._postpone(follower)
            yield follower

    def _postpone(self, draft: Draft) -> None:
        """Postpone a message at its first attempt and, if that was long ago, again in the last minute."""
        at = draft.received_at + 0.1
        last = max(at, self._now - self._random.uniform(5, 55))
        for moment in dict.fromkeys((at, last)):
            draft.start(moment, node=2)
            draft.move(MessageState.POSTPONED, moment + 0.05)

    def _self_blocked(self, *, ago: float) -> Draft:
        """
        Return a message with two values of one funnel, which the hub counts twice.

        Source: docs/contributing/spec/cleverbus.md, "Funnels" (edges).
        """
        draft = self._sent_draft("postPayment", ago=ago)
        draft.funnel_values = (draft.object_id, f"IBAN-{draft.object_id}")
        self._postpone(draft)
        return draft

    def _order_chain(self, *, ago: float, behind: int) -> Iterator[Draft]:
        """
        Yield one real failure of an ordered message, and the messages that failed waiting behind it
        (docs/contributing/spec/cleverbus.md, "Guaranteed order").
        """
        root = self._sent_draft("changeTariff", ago=ago)
        play_draft(root, Plot(failed_tries=1, failure=failures.INVALID_INPUT), self._times, self._random)
        yield root
        for number in range(1, behind + 1):
            # The last one is still waiting: younger than the 300 s after which the others were given up.
            is_last = number == behind
            follower = self._sent_draft(
                "changeTariff", ago=2 * MINUTE if is_last else ago * (1 - number / (behind + 1))
            )
            follower.funnel_values, follower.object_id = root.funnel_values, root.object_id
            self._give_way(follower, is_given_up=not is_last)
            yield follower

    def _give_way(self, draft: Draft, *, is_given_up: bool) -> None:
        if not is_given_up:
            self._postpone(draft)
            return
        for minute in range(6):
            draft.start(draft.received_at + 0.1 + 61 * minute, node=1)
            draft.move(MessageState.POSTPONED, draft.processed_at + 0.05)
        draft.start(draft.processed_at + 61, node=1)
        draft.fail(failures.WAITED_TOO_LONG, draft.processed_at + 0.05, is_final=True)


def _received_at(root: Draft) -> float:
    return root.received_at


def family_size(root: Draft) -> int:
    """Return how many messages a family has."""
    return 1 + sum(family_size(child) for child in root.children)
