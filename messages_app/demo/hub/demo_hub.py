"""A hub in one process, which runs its jobs until it is stopped. See docs/reference/demo.md."""

import logging
import threading
from collections import Counter
from time import monotonic

from django.db import Error, connection

from messages_app.demo.document_intake import make_triggers
from messages_app.demo.hub import attempt_end, poll, repair
from messages_app.demo.hub.agenda import Agenda, Steps, repeat_every, retry_while_busy
from messages_app.demo.hub.arrivals import receive_message
from messages_app.demo.hub.database import connect_hub, draw_ids, is_busy, is_lost
from messages_app.demo.hub.ground import Ground, look_at_ground
from messages_app.demo.hub.play import Play, Stage
from messages_app.demo.hub.processing import queue_arrival
from messages_app.demo.senders import Senders
from messages_app.demo.world import make_dice
from messages_app.messages.services import hub_rules

logger = logging.getLogger(__name__)

# Marks the ids of received messages; there are few objects, so that messages meet in funnels and in calls.
_NAME = "L"
_POOL = 400
_ANSWERS_EVERY = 0.5
_MIN_WAIT = 0.1
_GROUND_EVERY = 1.0
# The longest wait, so that `--for` ends in time.
_MAX_WAIT = 0.25
# Seconds in which running work may end after a stop; the next repair handles the rest.
_GRACE = 3.0


class DemoHub:
    """
    Simulates a hub on the database of the settings, from `work` until `stop`.

    If the database is lost, the hub's memory is lost too, as if its process was killed. The hub continues
    when the database is back, and its repair processes the rest.
    """

    def __init__(self, play: Play) -> None:
        self._play = play
        self._is_over = threading.Event()
        self._stage: Stage | None = None
        # Separate from the stage's agenda: at the end the jobs stop, while running routes are finished.
        self._jobs = Agenda()

    def stop(self) -> None:
        """Let `work` return soon. Safe to call from a signal handler or another thread."""
        self._is_over.set()

    @property
    def entered_counts(self) -> Counter[str]:
        """How many messages this hub has put into each state."""
        return self._stage.entered_counts if self._stage else Counter()

    @property
    def errors(self) -> int:
        """How many routes an error of the database has ended, except when the database was lost."""
        return len(self._stage.broken) if self._stage else 0

    def work(self, *, seconds: float | None = None) -> None:
        """Run until `stop`, or for this many seconds."""
        ends_at = None if seconds is None else monotonic() + seconds
        try:
            while self._connect() and not self._play_on(ends_at):
                logger.warning("The database is gone; what the hub had in memory is lost.")
        finally:
            connection.close()

    def _connect(self) -> bool:
        return connect_hub(is_over=self._is_over.wait)

    def _play_on(self, ends_at: float | None) -> bool:
        """Run the jobs; return True at the end, False if the database was lost."""
        try:
            stage = self._stage = self._stage or self._make_stage()
            if stage is None:
                return True
            self._begin(stage)
            while not self._is_over.is_set() and (ends_at is None or monotonic() < ends_at):
                self._run_due_work(stage)
            self._finish_routes(stage)
        except Error as error:
            if not is_lost(error):
                raise
            return False
        return True

    def _make_stage(self) -> Stage | None:
        """Make the state that the jobs share, after a running load of the demo; None if stopped before."""
        is_logged = False
        while True:
            try:
                return _build_stage(self._play)
            except Error as error:
                if not is_busy(error):
                    raise
            if not is_logged:
                logger.warning("The hub is waiting: the demo is being loaded.")
                is_logged = True
            if self._is_over.wait(_GROUND_EVERY):
                return None

    def _begin(self, stage: Stage) -> None:
        """Start the jobs again, if the database holds messages of the demo."""
        stage.reset_memory()
        self._jobs.clear()
        self._jobs.add(self._start_on_ground(stage))

    def _start_on_ground(self, stage: Stage) -> Steps:
        """Start the jobs; a gentle hub first waits until all messages of the database are the demo's."""
        reported = None
        while stage.play.is_gentle and (ground := look_at_ground()) is not Ground.DEMO:
            if ground is not reported:
                logger.warning("The hub is waiting: the database has %s.", ground.value)
                reported = ground
            yield _GROUND_EVERY
        if stage.play.is_gentle:
            yield from retry_while_busy(make_triggers)
        for job in _hub_jobs(stage):
            self._jobs.add(job)

    def _run_due_work(self, stage: Stage) -> None:
        """Run the work that is due, or wait for it for a moment."""
        agenda = min(self._jobs, stage.agenda, key=Agenda.seconds_left)
        left = agenda.seconds_left()
        if left > 0:
            self._is_over.wait(min(left, _MAX_WAIT))
        else:
            agenda.step()

    def _finish_routes(self, stage: Stage) -> None:
        """Wait for running routes to end, without starting new ones."""
        stage.workers.forget()
        agenda, deadline = stage.agenda, monotonic() + _GRACE
        while not stage.workers.is_idle and monotonic() < deadline:
            if agenda.seconds_left() > 0:
                threading.Event().wait(0.01)
            else:
                agenda.step()


def _build_stage(play: Play) -> Stage:
    """Return a stage with messages that no earlier hub has sent: no number of the sequence occurs twice."""
    first = draw_ids(1)[0]
    random = make_dice(f"hub {play.seed} {first}")
    # In a gentle hub that counts each value, a message with two values would wait forever, more each day.
    has_second_values = not (play.is_gentle and hub_rules().counts_each_value)
    senders = Senders(random=random, name=_NAME, count=first, pool=_POOL, has_second_values=has_second_values)
    return Stage(play, random=random, senders=senders)


def _hub_jobs(stage: Stage) -> list[Steps]:
    timing = stage.timing
    jobs = [
        repeat_every(timing.poll_every.total_seconds(), lambda: poll.poll_messages(stage)),
        repeat_every(timing.repair_after.total_seconds(), lambda: repair.repair_messages(stage)),
        repeat_every(
            timing.confirmation_every.total_seconds(), lambda: attempt_end.repeat_confirmations(stage)
        ),
        repeat_every(max(_ANSWERS_EVERY / timing.work, _MIN_WAIT), lambda: poll.give_answers(stage)),
    ]
    if stage.play.is_gentle:
        jobs.append(poll.take_left_messages(stage))
        jobs.insert(0, repeat_every(repair.KEEP_STUCK_EVERY, lambda: repair.keep_funnels_stuck(stage)))
        jobs.append(repeat_every(repair.TAKE_RESUBMITTED_EVERY, lambda: repair.process_resubmitted(stage)))
    if stage.play.rate:
        jobs.append(_receive_messages(stage))
    return jobs


def _receive_messages(stage: Stage) -> Steps:
    """Receive messages at random times, at the rate of the play."""
    while True:
        message = yield from retry_while_busy(lambda: receive_message(stage))
        if message is not None:
            yield from queue_arrival(stage, message)
        yield stage.random.expovariate(stage.play.rate)
