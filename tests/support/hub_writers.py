"""
A hub's sessions that insert and change messages all the time, and the time that each statement takes.

They are processes of their own: in the process of a test, they would also wait while it migrates.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg

from tests.support.files import ROOT

_INSERT = """
INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
                     operation_name, payload, failed_count)
VALUES (gen_random_uuid(), now(), now(), 'billing', 'CRM', 'NEW', 'createInvoice', '<x/>', 0)
RETURNING msg_id
"""
_CALL = """
INSERT INTO external_call (msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,
                           last_update_timestamp, failed_count)
VALUES (%s, 'direct:billing', 'OK', gen_random_uuid(), now(), now(), now(), 0)
"""
_STEPS = (
    "UPDATE message SET state = 'PROCESSING', start_process_timestamp = now() WHERE msg_id = %s",
    _CALL,
    "UPDATE message SET state = 'FAILED', failed_desc = 'refused by pay.example', failed_error_code = 'E101',"
    " failed_count = 3, last_process_timestamp = now() WHERE msg_id = %s",
    "UPDATE message SET state = 'OK', last_process_timestamp = now() WHERE msg_id = %s",
)
# As a report or a slow page holds the tables: for longer than a migration waits, but not forever.
_READ = """
SELECT count(*)
  FROM (SELECT FROM message LIMIT 10) AS messages,
       (SELECT FROM audit_entry LIMIT 10) AS entries,
       (SELECT FROM failure_member LIMIT 10) AS failures,
       (SELECT FROM message_rollup LIMIT 10) AS counts
"""
_SECONDS_OF_READER = 0.7


@dataclass
class HubWriters:
    """
    Args:
        waits: the seconds of each statement.
        errors: of the statements of the hub.
    """

    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def follow(self, writer: subprocess.Popen) -> None:
        for line in writer.stdout:
            seconds, _, error = line.strip().partition(" ")
            self.waits.append(float(seconds))
            if error:
                self.errors.append(error)

    def longest_wait(self) -> float:
        """Return the longest wait since this was asked last."""
        waits, self.waits = self.waits, []
        return max(waits, default=0.0)


@contextmanager
def hub_at_work(dsn: str, writers: int = 2) -> Iterator[HubWriters]:
    """Let a hub write to this database, and a report read from it, inside the block."""
    hub = HubWriters()
    command = [sys.executable, "-m", "tests.support.hub_writers"]
    started = [
        subprocess.Popen([*command, task, dsn], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for task in (*["write"] * writers, "read")
    ]
    followers = [threading.Thread(target=hub.follow, args=[each]) for each in started]
    for follower in followers:
        follower.start()
    try:
        yield hub
    finally:
        for each, follower in zip(started, followers, strict=True):
            each.terminate()
            follower.join()
            each.wait()


def _write(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True, application_name="hub") as session:
        while True:
            msg_id = _measure(session, _INSERT, ())[0]
            for step in _STEPS:
                _measure(session, step, (msg_id,))
            time.sleep(0.005)


def _measure(session: psycopg.Connection, statement: str, values: tuple[int, ...]) -> tuple:
    """Print the seconds of the statement, and its error. Return its row."""
    began, row, error = time.monotonic(), (0,), ""
    try:
        cursor = session.execute(statement, values)
        row = cursor.fetchone() if cursor.description else row
    except psycopg.Error as failure:
        error = str(failure).splitlines()[0]
    sys.stdout.write(f"{time.monotonic() - began:.4f} {error}\n")
    sys.stdout.flush()
    return row


def _read(dsn: str) -> None:
    with psycopg.connect(dsn, application_name="report") as session:
        while True:
            session.execute(_READ)
            time.sleep(_SECONDS_OF_READER)
            session.commit()
            time.sleep(0.5)


if __name__ == "__main__":
    {"write": _write, "read": _read}[sys.argv[1]](sys.argv[2])
