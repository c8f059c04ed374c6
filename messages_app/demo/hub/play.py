"""What is played, and what the parts of one playing hub share."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from django.db import Error

from messages_app.demo.data_hub_feed import DataHub
from messages_app.demo.drafts import Senders
from messages_app.demo.hub.agenda import Agenda, Workers
from messages_app.demo.hub.intake import Intake
from messages_app.demo.hub.timing import Timing
from messages_app.demo.hub.writes import Book
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState

# concurrentConsumers, as the wiki has it, and how much the queue before them takes in.
_WORKERS = 30
_QUEUE = 300


@dataclass(frozen=True, kw_only=True)
class Play:
    """
    Args:
        rate: messages received per second, 0 for none.
        seed: another number, other messages and other failures.
        failing: share of the messages whose first attempt fails.
        is_gentle: whether the demo's stories are kept as they are, see docs/demo.md.
        ordered_funnels: the components whose funnel keeps order, which is in no table.
        skip_uris: what matches this pattern is not called; empty for none. Source: docs/spec/cleverbus.md,
            "External calls".
        log: where the hub's changes are written to.
        node: the node_id that it writes.
    """

    timing: Timing = field(default_factory=lambda: Timing.played(1.0))
    rate: float = 0.0
    seed: int = 1
    failing: float = 0.08
    is_gentle: bool = False
    ordered_funnels: frozenset[str] = frozenset()
    skip_uris: str = ""
    log: Path | None = None
    node: int = 1

    def skips(self, uri: str) -> bool:
        return bool(self.skip_uris and re.search(self.skip_uris, uri))


class Stage:
    """What the parts of one playing hub share: the play, its dice, its work in progress, its writes."""

    def __init__(self, play: Play, *, random: Random, senders: Senders) -> None:
        self.play = play
        self.timing = play.timing
        self.random = random
        self.senders = senders
        self.book = Book(play.log)
        self.intake = Intake()
        self.data_hub = DataHub()
        # The errors of the database that ended a route, but for the loss of it.
        self.broken: list[Error] = []
        self.begin_anew()
        # How often a message came into each state, by this hub.
        self.came_into: Counter[str] = Counter()

    def begin_anew(self) -> None:
        """Start with an empty memory, as a hub does whose process was started."""
        self.agenda = Agenda()
        self.workers = Workers(self.agenda, count=_WORKERS, queue=_QUEUE, broken=self.broken)

    def write(self, message: Message, state: MessageState, **columns: object) -> None:
        """Write a whole row in its new state, whatever its state has become; see Book.overwrite."""
        self.book.overwrite(message, state=state, **columns)
        self.came_into[state] += 1
