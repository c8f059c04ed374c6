"""The servers that the tests run against: real ones, in a home of their own that goes when the run ends.

The home is in memory where there is much of it. Tests create and drop many databases of a thousand files
each, and ext4 searches all files that were removed in the last minutes whenever it creates one.

PostgreSQL and Valkey start before Django reads its settings; Spark starts with the first test that needs it.
A run that was killed leaves servers behind: the next run ends them.
"""

import atexit
import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from hubconsole.devserver import processes, progress
from hubconsole.devserver.postgres import make_database, prepare_postgres
from hubconsole.devserver.spark import prepare_spark
from hubconsole.devserver.valkey import prepare_valkey
from messages_app.core.embedded_servers import spark_url
from tests.support import stock
from tests.support.eventually import eventually

PREFIX = "hubconsole-tests-"

# The developer's own settings must not reach the tests, nor the tests the developer's data.
FOREIGN = (
    "CELERY_BROKER_URL",
    "DATABASE_URL",
    "DJANGO_ALLOWED_HOSTS",
    "DJANGO_DEBUG",
    "DJANGO_SECRET_KEY",
    "DJANGO_SETTINGS_MODULE",
    "HUBCONSOLE_ARCHIVE_URI",
    "HUBCONSOLE_SPARK_DATABASE_URL",
    "HUBCONSOLE_OWNER_DATABASE_URL",
    "HUB_RULES",
    "HUB_TIME_ZONE",
    "SPARK_MASTER",
    "SPARK_REMOTE",
)

SPARK_MASTER = "local[2,4]"  # a failed task is tried again, as on a cluster
# Tests' jobs are over before Java's second compiler would pay: without it Spark takes two thirds of the time.
# Their heaps are small, and other processes have the cores that a parallel collector would use.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


# A home took 0.7 GB at most, and four processes side by side have one each.
_MEMORY = Path("/dev/shm")
_ENOUGH_BYTES = 8 * 10**9


class Servers:
    """The home of one test run, or one inside it, and the servers in it."""

    def __init__(self, home: Path | None = None) -> None:
        with _only_one():
            self.home = home or Path(tempfile.mkdtemp(prefix=PREFIX, dir=_places()[-1])).resolve()
            self._lock = _lock(self.home)
        self.home.chmod(0o711)  # as `up` makes it where PostgreSQL runs as another user
        (self.home / "static").mkdir()  # the server of static files warns if the folder is missing
        self._running: list[processes.Process] = []

    def start(self, program: processes.Program) -> None:
        """Start one server and wait until it serves."""
        process = processes.Process(program, self.home)
        self._running.append(process)
        progress.wait_ready(process)

    def look_after(self) -> None:
        """Start again what has ended, as `up` does; a test that kills a server waits with this."""
        for place, process in enumerate(self._running):
            if process.exit_status is not None:
                process.forget()
                self._running[place] = processes.Process(process.program, self.home)

    def serve(self) -> bool:
        """Say whether every server runs, and answers."""
        return all(
            process.exit_status is None and (process.program.is_ready is None or process.program.is_ready())
            for process in self._running
        )

    def pid(self, name: str) -> int:
        """Return the process that runs as `name` now."""
        return next(process.handle.pid for process in self._running if process.program.name == name)

    def end_database_at_once(self) -> None:
        """Do what `pg_ctl stop -m immediate` does: every session is cut, and what was written is replayed."""
        from django.db import connection  # there are no settings yet when this module is read

        # Not the writes of the whole run, which would take minutes on a slow disk.
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
        connection.close()
        postmaster = psutil.Process(self.pid("postgres"))
        postmaster.send_signal(signal.SIGQUIT)
        # Until it is gone it may still answer one who asks whether it is back.
        eventually(lambda: postmaster.status() == psutil.STATUS_ZOMBIE)

    def stop(self) -> None:
        """End every server and remove the home."""
        processes.end_all(self._running)
        shutil.rmtree(self.home, ignore_errors=True)
        self._lock.close()


def _places() -> list[Path]:
    """Return the folders that homes may be in, the best one last."""
    usual = Path(tempfile.gettempdir()).resolve()
    if not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return [usual]
    free = min(shutil.disk_usage(_MEMORY).free, psutil.virtual_memory().available)
    return [usual, _MEMORY] if free > _ENOUGH_BYTES else [_MEMORY, usual]


def _lock(home: Path):
    """Hold the home's lock during this run; raises BlockingIOError if another run holds it."""
    file = (home / "lock").open("w")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Let one run at a time search for homes without a lock, or create one."""
    with (Path(tempfile.gettempdir()) / f"{PREFIX.strip('-')}.{os.getuid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _end_dead_runs() -> None:
    with _only_one():
        _end_homes_without_a_run()


def _end_homes_without_a_run() -> None:
    for home in (home for place in _places() for home in place.glob(f"{PREFIX}*")):
        try:
            with _lock(home):
                for inner in (home, *(run.parent for run in home.glob("*/run"))):
                    processes.end_leftovers(inner)
                shutil.rmtree(home, ignore_errors=True)
        except OSError:
            continue  # an active run, or one of another user


def pytest_configure(config: pytest.Config) -> None:
    if config.option.help or config.option.version:
        return
    for name in FOREIGN:
        os.environ.pop(name, None)
    _end_dead_runs()
    # A shell has the programs in its background ignore Ctrl-C, and what they start inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # ends the run, and the servers with it
    servers = config.stash[SERVERS] = Servers()
    # At exit, Spark's clients disconnect from their server, which takes minutes if it is gone. Handlers
    # registered first run last, so the servers end after the clients.
    atexit.register(servers.stop)
    os.environ["HUBCONSOLE_HOME"] = str(servers.home)
    # Without it, the first request of a process would ask for an attached hub.
    os.environ["HUB_RULES"] = "cleverbus"
    os.environ["SPARK_MASTER"] = os.environ.get("TESTS_SPARK_MASTER") or SPARK_MASTER
    os.environ["JAVA_TOOL_OPTIONS"] = JAVA_OPTIONS
    servers.start(_postgres(servers.home))
    make_database(servers.home)
    servers.start(prepare_valkey(servers.home))
    _set_up_django()


def _postgres(home: Path) -> processes.Program:
    """Return the embedded server, or the stock one of tests/support/stock.py where TESTS_POSTGRES=stock."""
    kind = os.environ.get("TESTS_POSTGRES") or "embedded"
    if kind not in {"embedded", "stock"}:
        raise pytest.UsageError(f"TESTS_POSTGRES must be embedded or stock, not {kind!r}.")
    return stock.prepare(home) if kind == "stock" else prepare_postgres(home, survives_power_loss=False)


def _set_up_django() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = os.environ.get("TESTS_SETTINGS") or "hubconsole.settings"
    django.setup()
    from django.core.servers.basehttp import WSGIRequestHandler

    # It sends an answer in two packets: the second would wait 40 ms until the first is acknowledged.
    WSGIRequestHandler.disable_nagle_algorithm = True
    from django.db import connection

    from messages_app.messages.attachment import attached_databases

    # Otherwise the first test that acts on a message asks, and counts one more query.
    attached_databases[connection.creation._get_test_db_name()] = False


SERVERS = pytest.StashKey[Servers]()


@pytest.fixture(scope="session")
def servers(pytestconfig: pytest.Config) -> Servers:
    return pytestconfig.stash[SERVERS]


@pytest.fixture(scope="session")
def spark_remote(servers: Servers) -> Iterator[str]:
    """
    Give the address, token included, of a Spark Connect server that lasts for the run.

    TESTS_SPARK_REMOTE names one that runs already; TESTS_SPARK_MASTER another master than local[2,4].
    """
    if remote := os.environ.get("TESTS_SPARK_REMOTE"):
        os.environ["SPARK_REMOTE"] = settings.SPARK_REMOTE = remote
        yield remote
        return
    spark = prepare_spark(servers.home, master=os.environ["SPARK_MASTER"])
    servers.start(spark)
    yield spark_url(servers.home)
