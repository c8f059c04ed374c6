"""Start the embedded servers of a benchmark in a temporary home."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from hubconsole.devserver import processes, progress
from hubconsole.devserver.postgres import make_database, prepare_postgres
from hubconsole.devserver.spark import prepare_spark
from hubconsole.devserver.valkey import prepare_valkey
from spark_tasks.session import end_sessions
from tests.support import stock


@contextmanager
def run_servers(*, spark: bool, postgres: str = "embedded", folder: str | None = None) -> Iterator[Path]:
    """
    Start the servers, configure Django for their home, and yield that home.

    Args:
        folder: of a home that stays; None: a temporary one.
    """
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    with nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="hubconsole-bench-") as place:
        home = Path(place).resolve()
        home.chmod(0o755)
        started: list[processes.Process] = []
        try:
            _start_programs(home, started, spark=spark, postgres=postgres)
            yield home
        finally:
            end_sessions()
            processes.end_all(started)


def _start_programs(home: Path, started: list[processes.Process], *, spark: bool, postgres: str) -> None:
    os.environ |= {"HUBCONSOLE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "hubconsole.settings"}
    database = (stock.prepare if postgres == "stock" else prepare_postgres)(home)
    programs = [database, prepare_valkey(home), *([prepare_spark(home)] if spark else [])]
    for program in programs:
        process = processes.Process(program, home)
        started.append(process)
        progress.wait_ready(process)
    make_database(home)
    import django

    django.setup()
