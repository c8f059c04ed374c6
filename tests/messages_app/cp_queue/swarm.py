"""
Many workers as processes of their own, killed and reset at random: python -m ...swarm WORKERS SEED.

It forks them all from one process that has loaded Django, kills and resets until a line is read from the
standard input, then lets them work through what is left, and ends. The tables it writes are made by
test_swarm.py.
"""

import os
import random
import select
import signal
import sys
import threading
from contextlib import suppress

import django

QUEUES = "RENDITION,FULLTEXTIDX"


class Swarm:
    """The workers of one run, and what befalls them."""

    def __init__(self, workers: int, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 (no secret)
        self._pids: dict[str, int] = {}
        for number in range(workers):
            self._start(f"W{number}")

    def _start(self, service: str) -> None:
        seed = self._random.random()
        pid = os.fork()
        if pid == 0:
            try:
                work(service, random.Random(seed))  # noqa: S311 (no secret)
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
    from messages_app.cp_queue import services

    services.reset_service(service=service, actor=SYSTEM)
    connection.close()  # a fork must not find it open


def work(service: str, chance: random.Random) -> None:
    """Reset, then poll and process; after SIGUSR1 until nothing is left."""
    ending = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: ending.set())
    from messages_app.audit.services import SYSTEM
    from messages_app.cp_queue import services
    from messages_app.cp_queue.models import CpMessage

    services.reset_service(service=service, actor=SYSTEM)
    while True:
        picked = services.get_next(queues=QUEUES, service=service, wants_token=True)
        if picked is not None:
            process(picked, service, chance)
        elif ending.is_set() and not CpMessage.objects.exclude(lock_service__startswith="W").exists():
            return
        else:
            threading.Event().wait(0.02 * chance.random())


def process(picked: object, service: str, chance: random.Random) -> None:
    """Read the object's state, note it, and dispatch; sometimes it is to be tried again."""
    from django.db import connection

    from messages_app.cp_queue import services

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO swarm_worked (osid, version, messageguid, token)"
            " SELECT osid, version, %s, %s FROM swarm_object WHERE osid = %s",
            [picked.guid, picked.token, picked.object_id],
        )
    threading.Event().wait(0.01 * chance.random())
    reason = "RETRY" if chance.random() < 0.1 else "OK"
    # Reset meanwhile, it is another's.
    with suppress(services.MessageConflict, services.MessageNotFound, services.TokenLost):
        services.dispatch(guid=picked.guid, service=service, reason=reason, token=picked.token)


def main(workers: int, seed: int) -> None:
    django.setup()
    from django.conf import settings

    settings.CP_RETRY_SECONDS, settings.CP_MAX_ATTEMPTS = 0.05, 60
    settings.CP_LONGEST_RETRY_SECONDS = 0.2
    import messages_app.cp_queue.services  # noqa: F401 (before the forks)

    swarm = Swarm(workers, seed)
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        swarm.disturb()
    swarm.end()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
