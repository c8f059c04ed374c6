"""A hub in one process, which runs its jobs until it is stopped. See docs/demo.md."""

import logging
import threading
from collections import Counter
from time import monotonic

from django.db import Error, connection

from messages_app.demo.document_intake import make_triggers
from messages_app.demo.drafts import Senders
from messages_app.demo.hub import attempt_end, database, poll, repair
from messages_app.demo.hub.agenda import Agenda, Steps, every, patiently
from messages_app.demo.hub.arrivals import receive
from messages_app.demo.hub.database import Ground, connect, draw_ids, is_busy, is_lost
from messages_app.demo.hub.play import Play, Stage
from messages_app.demo.hub.processing import arrive
from messages_app.demo.world import dice

logger = logging.getLogger(__name__)

# Marks the ids of what the hub receives; few objects, so that messages meet in funnels and in calls.
_NAME = "L"
_POOL = 400
_ANSWERS_EVERY = 0.5
_SHORTEST = 0.1
_GROUND_EVERY = 1.0
# So that the end of `--for` is not overslept.
_LONGEST_WAIT = 0.25
# Seconds in which running work may end after a stop; the next repair handles the rest.
_GRACE = 3.0


class DemoHub:
    """
    Plays a hub on the database of the settings, from `work` until `stop`.

    A lost database loses what was in the hub's memory, as a killed process does: the hub comes back with the
    database, and its repair takes up the rest.
    """

    def __init__(self, play: Play) -> None:
        self._play = play
        self._is_over = threading.Event()
        self._stage: Stage | None = None
        # Apart from the stage's own agenda: at the end the jobs stop, while the routes come to theirs.
        self._jobs = Agenda()

    def stop(self) -> None:
        """Let `work` return soon; may be called by a signal's handler or another thread."""
        self._is_over.set()

    @property
    def came_into(self) -> Counter[str]:
        """How often this hub brought a message into each state."""
        return self._stage.came_into if self._stage else Counter()

    @property
    def errors(self) -> int:
        """How many routes ended by an error of the database that was not the loss of it."""
        return len(self._stage.broken) if self._stage else 0

    def work(self, *, seconds: float | None = None) -> None:
        """Play until `stop`, or for this many seconds."""
        ends_at = None if seconds is None else monotonic() + seconds
        try:
            while self._connect() and not self._play_on(ends_at):
                logger.warning("The database is gone; what the hub had in memory is lost.")
        finally:
            connection.close()

    def _connect(self) -> bool:
        return connect(is_over=self._is_over.wait)

    def _play_on(self, ends_at: float | None) -> bool:
        """Play; return True at the end, False when the database was lost."""
        try:
            stage = self._stage = self._stage or self._make_stage()
            if stage is None:
                return True
            self._begin(stage)
            while not self._is_over.is_set() and (ends_at is None or monotonic() < ends_at):
                self._turn(stage)
            self._wind_up(stage)
        except Error as error:
            if not is_lost(error):
                raise
            return False
        return True

    def _make_stage(self) -> Stage | None:
        """Make what the jobs share, once a demo that loads lets go of the ids; None if stopped before."""
        is_told = False
        while True:
            try:
                return _stage(self._play)
            except Error as error:
                if not is_busy(error):
                    raise
            if not is_told:
                logger.warning("The hub is waiting: the demo is being loaded.")
                is_told = True
            if self._is_over.wait(_GROUND_EVERY):
                return None

    def _begin(self, stage: Stage) -> None:
        """Start the jobs again, if the database holds messages of the demo."""
        stage.begin_anew()
        self._jobs.clear()
        self._jobs.add(self._start_on_ground(stage))

    def _start_on_ground(self, stage: Stage) -> Steps:
        """Start the jobs; a gentle hub first waits until the database holds the demo's messages only."""
        told = None
        while stage.play.is_gentle and (found := database.look()) is not Ground.DEMO:
            if found is not told:
                logger.warning("The hub is waiting: the database has %s.", found.value)
                told = found
            yield _GROUND_EVERY
        if stage.play.is_gentle:
            yield from patiently(make_triggers)
        for job in _jobs(stage):
            self._jobs.add(job)

    def _turn(self, stage: Stage) -> None:
        """Run the due work, or wait a moment for some."""
        agenda = min(self._jobs, stage.agenda, key=Agenda.seconds_left)
        left = agenda.seconds_left()
        if left > 0:
            self._is_over.wait(min(left, _LONGEST_WAIT))
        else:
            agenda.step()

    def _wind_up(self, stage: Stage) -> None:
        """Wait for running routes to end, without starting new ones."""
        stage.workers.forget()
        agenda, deadline = stage.agenda, monotonic() + _GRACE
        while not stage.workers.are_idle and monotonic() < deadline:
            if agenda.seconds_left() > 0:
                threading.Event().wait(0.01)
            else:
                agenda.step()


def _stage(play: Play) -> Stage:
    """Return a stage whose messages no earlier hub has sent: the sequence never gives a number twice."""
    first = draw_ids(1)[0]
    random = dice(f"hub {play.seed} {first}")
    return Stage(play, random=random, senders=Senders(random=random, name=_NAME, count=first, pool=_POOL))


def _jobs(stage: Stage) -> list[Steps]:
    timing = stage.timing
    jobs = [
        every(timing.poll_every.total_seconds(), lambda: poll.poll(stage)),
        every(timing.repair_after.total_seconds(), lambda: repair.repair(stage)),
        every(timing.confirmation_every.total_seconds(), lambda: attempt_end.repeat_confirmations(stage)),
        every(max(_ANSWERS_EVERY / timing.work, _SHORTEST), lambda: poll.give_answers(stage)),
    ]
    if stage.play.is_gentle:
        jobs.insert(0, every(repair.KEEP_STUCK_EVERY, lambda: repair.keep(stage)))
        jobs.append(every(repair.TAKE_RESUBMITTED_EVERY, lambda: repair.process_resubmitted(stage)))
    if stage.play.rate:
        jobs.append(_arrivals(stage))
    return jobs


def _arrivals(stage: Stage) -> Steps:
    """Receive messages, at random moments, at the rate that the play has."""
    while True:
        message = yield from patiently(lambda: receive(stage))
        if message is not None:
            yield from arrive(stage, message)
        yield stage.random.expovariate(stage.play.rate)
