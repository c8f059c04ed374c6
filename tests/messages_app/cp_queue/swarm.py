"""
Many workers as processes of their own, killed and reset at random: python -m ...swarm WORKERS SEED.

It forks them all from one process that has loaded Django. For each line "disturb" on the standard input it
kills a worker, which starts again, or resets a living one; at "end" it lets them work through what is left,
and ends. The tables it writes are made by test_swarm.py.

A worker polls like the product's own, less often while the queue is empty, and holds each message long enough
that all workers together need no more than two cores. Otherwise fifty busy processes would leave no time for
the changes under test. Workers are killed while they hold a message.
"""

import os
import random
import signal
import sys
import threading
from contextlib import suppress

import django

from messages_app.cp_queue.worker.loop import iterate_pauses

QUEUES = "RENDITION,FULLTEXTIDX"
# Messages a second that all workers together ask for, at most.
_PACE = 150
# Seconds between the polls of one that finds nothing.
_SHORTEST, _LONGEST = 0.02, 1.0


class Swarm:
    """The workers of one run, and what befalls them."""

    def __init__(self, workers: int, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (no secret)
        self._pids: dict[str, int] = {}
        self._longest_work = 2 * workers / _PACE
        # One that was just forked would die of the signal that asks it to end: it waits until it is heard.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        for number in range(workers):
            self._start(f"W{number}")

    def _start(self, service: str) -> None:
        seed = self._random.random()
        pid = os.fork()
        if pid == 0:
            try:
                work(service, random.Random(seed), self._longest_work)  # noqa: S311 (no secret)
            finally:
                os._exit(0)
        self._pids[service] = pid

    def disturb(self) -> None:
        """Kill a worker, which starts again, or free what a living one holds."""
        service = self._random.choice(list(self._pids))
        if self._random.random() < 0.6:
            os.kill(self._pids[service], signal.SIGKILL)
            os.waitpid(self._pids[service], 0)
            self._start(service)
        else:
            reset(service)

    def end(self) -> None:
        """Ask the workers to end once nothing is left, and wait for them."""
        for pid in self._pids.values():
            os.kill(pid, signal.SIGUSR1)
        for pid in self._pids.values():
            os.waitpid(pid, 0)


def reset(service: str) -> None:
    from django.db import connection

    from messages_app.audit.services import SYSTEM
    from messages_app.cp_queue.services.reset import reset_service

    reset_service(service=service, actor=SYSTEM)
    connection.close()  # a fork must not find it open


def work(service: str, chance: random.Random, longest: float) -> None:
    """Reset, then poll and process for up to the given seconds; after SIGUSR1 until nothing is left."""
    ending = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: ending.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    from messages_app.audit.services import SYSTEM
    from messages_app.cp_queue.models import CpMessage
    from messages_app.cp_queue.services.pickup import get_next
    from messages_app.cp_queue.services.reset import reset_service

    reset_service(service=service, actor=SYSTEM)
    waiting = iterate_pauses(_SHORTEST, _LONGEST)
    while True:
        picked = get_next(queues=QUEUES, service=service, wants_token=True)
        if picked is not None:
            process(picked, service, chance, longest)
            waiting = iterate_pauses(_SHORTEST, _LONGEST)
        elif ending.is_set() and not CpMessage.objects.exclude(lock_service__startswith="W").exists():
            return
        else:
            threading.Event().wait(next(waiting))


def process(picked: object, service: str, chance: random.Random, longest: float) -> None:
    """Read the object's state, note it, and dispatch; sometimes with RETRY."""
    from django.db import connection

    from messages_app.cp_queue.errors import MessageConflict, MessageNotFound, TokenLost
    from messages_app.cp_queue.services.dispatch import dispatch_message

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO swarm_worked (osid, version, messageguid, token)"
            " SELECT osid, version, %s, %s FROM swarm_object WHERE osid = %s",
            [picked.guid, picked.token, picked.object_id],
        )
    threading.Event().wait(longest * chance.random())
    reason = "RETRY" if chance.random() < 0.1 else "OK"
    # Reset meanwhile, it is another's.
    with suppress(MessageConflict, MessageNotFound, TokenLost):
        dispatch_message(guid=picked.guid, service=service, reason=reason, token=picked.token)


def main(workers: int, seed: int) -> None:
    django.setup()
    from django.conf import settings

    settings.CP_RETRY_SECONDS, settings.CP_MAX_ATTEMPTS = 0.05, 60
    settings.CP_LONGEST_RETRY_SECONDS = 0.2
    import messages_app.cp_queue.services  # noqa: F401 (before the forks)

    swarm = Swarm(workers, seed)
    for line in sys.stdin:
        if line == "end\n":
            swarm.end()
            return
        swarm.disturb()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
