"""
The settings of a simulated hub, its times, its intake of documents, and the state that its parts share.

The intake stores each document as a message once, however often its system sends it: it uses `exactly_once`
of the document history. Some documents are sent twice, and sometimes a process dies while it processes one,
so that the pages always have an example. Only a gentle hub has an intake; any other hub stores what arrives.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from random import Random

from django.db import Error

from messages_app.demo.data_hub import DataHub
from messages_app.demo.document_intake import IDS
from messages_app.demo.hub.agenda import Agenda, Workers
from messages_app.demo.hub.writes import Book
from messages_app.demo.senders import Senders
from messages_app.document_history.exactly_once import Service, exactly_once
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import (
    HistoryUnavailable,
    TriggerNotFound,
    TriggerSuspended,
)
from messages_app.messages.hub_times import HubTimes, with_overrides
from messages_app.messages.models import Message
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState

logger = logging.getLogger(__name__)

# Intervals in documents: one is immediately sent again; the processing of one dies.
_TWICE, _DIES = 15, 250
# The first death is early. For every second such document, a copy arrives this number of documents later.
_FIRST_DEATH, _COPY_AFTER = 12, 5


@dataclass(frozen=True)
class Document:
    """A document as its system sends it; `store` makes it a message."""

    service: str
    uuid: str
    name: str
    content: str
    store: Callable[[], Message]


def _make_intake(trigger_id: str) -> Service:
    @exactly_once(trigger=trigger_id)
    def store_document(
        *, uuid: str, document: str, document_name: str, store: Callable[[], Message]
    ) -> Message:
        return store()

    return store_document


_BY_SERVICE = {service: _make_intake(trigger_id) for service, trigger_id in IDS.items()}


class Intake:
    """Takes documents in, and sends some of them again."""

    def __init__(self) -> None:
        self._taken = 0
        self._deaths = 0
        self._copies: list[tuple[int, Document]] = []

    def take_in(self, document: Document) -> Message | None:
        """
        Store a document as a message; None if it does not become a message or must wait.

        Raises:
            IntegrityError: its correlation id exists already.
            Error: the database failed, as in every other write of the hub.
        """
        if document.service not in _BY_SERVICE:
            return document.store()
        self._taken += 1
        if self._taken % _DIES == _FIRST_DEATH:
            self._abandon(document)
            return None
        message = self._ask_intake(document)
        if self._taken % _TWICE == 0:
            self._ask_intake(document)
        self._send_copies()
        return message

    def _abandon(self, document: Document) -> None:
        """Begin to process a document without completing it, like a process that is killed."""
        check_document(trigger_id=IDS[document.service], uuid=document.uuid, redelivery_count=0)
        self._deaths += 1
        if self._deaths % 2:
            self._copies.append((self._taken + _COPY_AFTER, document))

    def _send_copies(self) -> None:
        due = [document for number, document in self._copies if number <= self._taken]
        self._copies = [(number, document) for number, document in self._copies if number > self._taken]
        for document in due:
            self._ask_intake(document)

    def _ask_intake(self, document: Document) -> Message | None:
        try:
            message = _BY_SERVICE[document.service](
                uuid=document.uuid,
                document=document.content,
                document_name=document.name,
                store=document.store,
            )
        except HistoryUnavailable as error:
            raise error.__cause__ or error from None
        except (TriggerSuspended, TriggerNotFound) as error:
            logger.warning("%s %r is not taken in: %s", document.name, document.uuid, error)
            return None
        return message if isinstance(message, Message) else None


# The behaviour of other systems: the delay of their later answers, and the age after which they never answer.
_FIRST_ANSWER = timedelta(seconds=5)
_LAST_ANSWER = timedelta(seconds=60)
_NO_ANSWER_AFTER = timedelta(seconds=300)
# A call that runs into the target's timeout lasts this much longer.
TIMED_OUT = 5.0


@dataclass(frozen=True, kw_only=True)
class Timing:
    """
    The waits of a simulated hub; the first seven are named as in HubTimes.

    Args:
        work: the divisor of the time that routes and other systems take.
    """

    poll_every: timedelta
    partly_failed_rests: timedelta
    postponed_rests: timedelta
    confirmation_every: timedelta
    repair_after: timedelta
    order_fails_after: timedelta
    funnel_idle_after: timedelta
    work: float

    @classmethod
    def at_speed(cls, speed: float) -> "Timing":
        """Return the times of a hub that does everything `speed` times as fast."""
        return cls._divide_times(looks=speed, windows=speed, work=speed)

    @classmethod
    def make_gentle(cls, speed: float) -> "Timing":
        """Return the times of a hub that only polls more often, so that the pages' windows hold for it."""
        gentle = cls._divide_times(looks=speed, windows=1.0, work=1.0)
        # Pages use these times in whole seconds, and must be exact.
        return replace(
            gentle,
            poll_every=_whole_seconds(gentle.poll_every),
            partly_failed_rests=_whole_seconds(gentle.partly_failed_rests),
            postponed_rests=_whole_seconds(gentle.postponed_rests),
        )

    def as_settings(self) -> dict[str, str]:
        """Return the environment with which the pages' predictions hold for this hub."""
        seconds = {
            "HUB_POLL_SECONDS": self.poll_every,
            "HUB_FAILED_REST_SECONDS": self.partly_failed_rests,
            "HUB_POSTPONED_REST_SECONDS": self.postponed_rests,
        }
        return {name: str(time // timedelta(seconds=1)) for name, time in seconds.items()}

    @classmethod
    def _divide_times(cls, *, looks: float, windows: float, work: float) -> "Timing":
        times = with_overrides(HubTimes())
        return cls(
            poll_every=times.poll_every / looks,
            partly_failed_rests=times.partly_failed_rests / looks,
            postponed_rests=times.postponed_rests / looks,
            confirmation_every=times.confirmation_every / looks,
            repair_after=times.repair_after / windows,
            order_fails_after=times.order_fails_after / windows,
            funnel_idle_after=FUNNEL_IDLE_AFTER / windows,
            work=work,
        )

    @property
    def no_answer_after(self) -> timedelta:
        """Messages that are still unanswered at that age remain so."""
        return _NO_ANSWER_AFTER / self.work

    def answer_delay(self, random: Random) -> timedelta:
        """Return how long an answer takes."""
        return (_FIRST_ANSWER + random.random() ** 2 * (_LAST_ANSWER - _FIRST_ANSWER)) / self.work

    def call_seconds(self, random: Random) -> float:
        """Return how long one call, or a route without calls, takes."""
        return (0.05 + random.expovariate(1.2)) / self.work


def _whole_seconds(time: timedelta) -> timedelta:
    return timedelta(seconds=max(1, round(time.total_seconds())))


# concurrentConsumers as in the wiki, and the size of the queue before them.
_WORKERS = 30
_QUEUE = 300


@dataclass(frozen=True, kw_only=True)
class Play:
    """
    Args:
        rate: messages received per second, 0 for none.
        seed: determines the messages and their failures.
        failing: share of the messages whose first attempt fails.
        is_gentle: whether the demo's stories are kept as they are, see docs/reference/demo.md.
        ordered_funnels: the components whose funnel keeps order; no table has this.
        skip_uris: addresses that match this pattern are not called; empty for no exception. Source:
            docs/contributing/spec/cleverbus.md, "External calls".
        log: the file of the hub's changes.
        node: the node_id that it writes.
    """

    timing: Timing = field(default_factory=lambda: Timing.at_speed(1.0))
    rate: float = 0.0
    seed: int = 1
    failing: float = 0.08
    is_gentle: bool = False
    ordered_funnels: frozenset[str] = frozenset()
    skip_uris: str = ""
    log: Path | None = None
    node: int = 1

    def is_skipped(self, uri: str) -> bool:
        return bool(self.skip_uris and re.search(self.skip_uris, uri))


class Stage:
    """
    The state that the parts of one simulated hub share: its settings, random numbers, work in progress and
    writes.
    """

    def __init__(self, play: Play, *, random: Random, senders: Senders) -> None:
        self.play = play
        self.timing = play.timing
        self.random = random
        self.senders = senders
        self.book = Book(play.log)
        self.intake = Intake()
        self.data_hub = DataHub()
        # The errors of the database that ended a route, except when the database was lost.
        self.broken: list[Error] = []
        self.reset_memory()
        # How many messages this hub has put into each state.
        self.entered_counts: Counter[str] = Counter()

    def reset_memory(self) -> None:
        """Start with an empty memory, like a hub whose process was started."""
        self.agenda = Agenda()
        self.workers = Workers(self.agenda, count=_WORKERS, queue=_QUEUE, broken=self.broken)

    def write(self, message: Message, state: MessageState, **columns: object) -> None:
        """Write a whole row in its new state, whatever its current state; see Book.overwrite."""
        self.book.overwrite_row(message, state=state, **columns)
        self.entered_counts[state] += 1
