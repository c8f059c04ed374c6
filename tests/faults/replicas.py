"""A PostgreSQL primary with a synchronous replica, of which one may die and the other be promoted."""

import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg

from hubconsole.devserver.postgres import binary_path, make_database, prepare_postgres
from messages_app.core.embedded_servers import POSTGRES, is_listening, last_endpoint
from tests.support.children import child_by_command
from tests.support.eventually import eventually
from tests.support.servers import Servers


class Replicas:
    """Two servers with the same data. A commit that waits for the disk also waits for the replica."""

    def __init__(self, parent: Path) -> None:
        self._folder = parent / "replicas"
        self._folder.mkdir(mode=0o711)
        self._primary, self._replica = (self._servers(name) for name in ("first", "second"))
        self._primary.start(prepare_postgres(self._primary.home, survives_power_loss=False))
        make_database(self._primary.home)
        self._start_replica()

    @property
    def address(self) -> str:
        """The address of whichever server accepts writes; it names the replica first."""
        at = [last_endpoint(each.home, POSTGRES) for each in (self._replica, self._primary)]
        servers = ",".join(f"127.0.0.1:{each.port}" for each in at)
        return f"postgresql://hubconsole:{at[1].secret}@{servers}/hubconsole"

    @property
    def address_of_replica(self) -> str:
        return self._url(self._replica)

    def cut_off_replica(self) -> None:
        """Let it receive nothing more: commits that wait for it do not end, and others are lost."""
        os.kill(self._receiver().pid, signal.SIGSTOP)

    def kill_primary(self) -> None:
        """Kill all of its processes, as if its machine lost power, and let the replica notice."""
        postmaster = psutil.Process(self._primary.pid("postgres"))
        for process in (postmaster, *postmaster.children()):
            os.kill(process.pid, signal.SIGKILL)
        receiver = self._receiver()
        os.kill(receiver.pid, signal.SIGCONT)

    def _receiver(self) -> psutil.Process:
        return child_by_command(self._replica.pid("postgres"), "walreceiver")

    def promote_replica(self) -> None:
        with self._connect(self._replica) as server:
            server.execute("SELECT pg_promote(wait => true)")
            server.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            server.execute("SELECT pg_reload_conf()")

    def stop(self) -> None:
        self._primary.stop()
        self._replica.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _servers(self, name: str) -> Servers:
        home = self._folder / name
        home.mkdir()
        return Servers(home)

    def _start_replica(self) -> None:
        program = prepare_postgres(self._replica.home, survives_power_loss=False)
        data = Path(program.command[2])
        for part in data.iterdir():
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        copy = [
            str(binary_path("pg_basebackup")),
            "-D",
            str(data),
            "-d",
            self._url(self._primary),
        ]
        subprocess.run(
            [*copy, "--write-recovery-conf", "--checkpoint=fast"],
            cwd="/",
            check=True,
            **(program.account.options() if program.account else {}),
        )
        port = last_endpoint(self._replica.home, POSTGRES).port
        # Its password is that of the primary.
        self._replica.start(replace(program, is_ready=lambda: is_listening(port)))
        with self._connect(self._primary) as server:
            server.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            server.execute("SELECT pg_reload_conf()")
            state = "SELECT sync_state FROM pg_stat_replication"
            eventually(lambda: server.execute(state).fetchone() == ("sync",))

    def _connect(self, servers: Servers) -> psycopg.Connection:
        return psycopg.connect(self._url(servers), autocommit=True)

    def _url(self, servers: Servers) -> str:
        first = last_endpoint(self._primary.home, POSTGRES)
        port = last_endpoint(servers.home, POSTGRES).port
        return f"postgresql://hubconsole:{first.secret}@127.0.0.1:{port}/hubconsole"
