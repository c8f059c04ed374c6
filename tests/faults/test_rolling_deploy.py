"""
An older version and this one work next to each other on one database and broker, while both are used.

The tables are migrated under the older one. Then this version starts, the older one stops, and back.
"""

import contextlib
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection

from messages_app.jobs.models import Job
from tests.faults import versions as older_versions
from tests.faults.browsers import Browser
from tests.faults.clients import send
from tests.faults.versions import Version, unpack_older_version
from tests.hubconsole.console import REPOSITORY
from tests.rules.migrations import OLDEST
from tests.support.databases import another_database
from tests.support.eventually import eventually
from tests.support.oracle import Oracle
from tests.support.workers import make_old_messages

pytestmark = pytest.mark.slow

_PASSWORD = "a-password-of-this-test"
_OLD_MESSAGES, _PACED, _SINGLE, _FAILED = 3_000, 900, 3_000, 80
_ROWS = """
INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_count)
SELECT service || n, old, old, old, service, 'CRM', state, 'createInvoice', '<x/>', 3
  FROM (VALUES ('orders', 'POSTPONED', %(paced)s), ('stock', 'POSTPONED', %(single)s),
               ('invoices', 'FAILED', %(failed)s)) AS kinds (service, state, number)
 CROSS JOIN LATERAL generate_series(1, number) AS n
 CROSS JOIN (SELECT now() - interval '1 day' AS old) AS age
"""
_CANCELLED = """
SELECT count(*), count(DISTINCT msg_id) FROM audit_entry
 WHERE action = 'cancel' AND outcome = 'done' AND job_id IS NULL
"""
_PAGES = (
    "/",
    "/messages/",
    "/jobs/",
    "/incidents/",
    "/messages/?state=FAILED",
    "/second-factor/",
    "/audit/",
)
_READS = ("/api/v1/messages/", "/api/v1/jobs/", "/api/v1/me/")
_HARMLESS = {200, 302, 409}


class Users:
    """
    People and scripts who use the versions that are open, all the time.

    Args:
        open_versions: where requests are sent; the test changes it.
        answers: the number of answers by version, address and status.
    """

    def __init__(self, token: str, messages: Sequence[int], version: Version) -> None:
        self._token, self._messages = token, iter(messages)
        self.open_versions: list[Version] = [version]
        self.answers: Counter[tuple[str, str, int]] = Counter()
        self.cancelled: list[int] = []
        self.browser = Browser()
        self._is_over = threading.Event()
        acts = (self._read, self._cancel)
        self._threads = [threading.Thread(target=self._repeat, args=[act]) for act in acts]
        self._rounds = Counter(dict.fromkeys(acts, 0))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def wait_for_answers(self) -> None:
        """Wait until each open version has answered every address again."""
        for version in self.open_versions:
            before = self.number_of(version)
            eventually(lambda version=version, before=before: self.number_of(version) > before + 30, 90)

    def number_of(self, version: Version) -> int:
        return sum(number for (name, _, _), number in self.answers.copy().items() if name == version.name)

    def leave(self, version: Version) -> None:
        """Send nothing more to a version, as a load balancer does before it is stopped."""
        self.open_versions = [each for each in self.open_versions if each is not version]
        # A round that has begun may still send it something; the next one does not.
        before = dict(self._rounds)
        eventually(lambda: all(self._rounds[act] > number for act, number in before.items()), 90)

    def refused(self) -> dict[tuple[str, str, int], int]:
        return {key: number for key, number in self.answers.items() if key[2] not in _HARMLESS}

    def _repeat(self, act) -> None:
        while not self._is_over.is_set():
            for version in self.open_versions:
                act(version)
                time.sleep(0.02)
            self._rounds[act] += 1

    def _read(self, version: Version) -> None:
        for path in _PAGES:
            # The same session on each version. A page of the log-in instead would be a redirection.
            status = self.browser.ask(version.place, "GET", path)
            self.answers[version.name, path, status if status != 302 else 401] += 1
        for path in _READS:
            self.answers[version.name, path, send(version.place, self._token, "GET", path)[0]] += 1

    def _cancel(self, version: Version) -> None:
        msg_id = next(self._messages, None)
        if msg_id is None:
            return
        path, key = f"/api/v1/messages/{msg_id}/cancel/", uuid.uuid4().hex
        body = {"reason": "no longer needed"}
        first = send(version.place, self._token, "POST", path, body, key)
        # The other version knows the key, and answers the same.
        other = self.open_versions[-1]
        again = send(other.place, self._token, "POST", path, body, key)
        self.answers[version.name, "cancel", first[0]] += 1
        self.answers[other.name, "cancel again", again[0]] += 1
        if first[0] == 200:
            self.cancelled.append(msg_id)
            assert json.loads(again[1]) == json.loads(first[1])


@pytest.fixture
def versions(
    spark_remote: str, transactional_db: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Version, Version]]:
    """Give the older version, on a database that it has made, and this one."""
    folder = tmp_path_factory.mktemp("versions")
    home, logs = folder / "home", folder / "logs"
    home.mkdir()
    logs.mkdir()
    code = unpack_older_version(folder)
    with another_database("rolling"):
        older = Version("older", code, home=home, logs=logs, spark=spark_remote)
        newer = Version("newer", REPOSITORY, home=home, logs=logs, spark=spark_remote)
        older.run("migrate", "--verbosity", "0")
        try:
            yield older, newer
        finally:
            for version in (older, newer):
                version.kill()


def test_a_clone_without_the_older_version_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(older_versions, "OLDER", "0" * 40)
    with pytest.raises(pytest.fail.Exception, match=r"does not have the commit 0000.*git fetch --unshallow"):
        unpack_older_version(tmp_path)


def ask(statement: str, **values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def create_job(version: Version, token: str, **body: object) -> int:
    body = {"reason": "a test", **body}
    status, answer = send(version.place, token, "POST", "/api/v1/jobs/", body, uuid.uuid4().hex)
    assert status in {200, 201, 202}, (version.name, answer)
    return json.loads(answer)["job_id"]


def is_session_shared(first: Version, second: Version) -> bool:
    """Return whether a session of the first version is one of the second, and ends there for both."""
    browser = Browser()
    assert browser.log_in(first.place, "admin", _PASSWORD) == 302
    assert browser.ask(second.place, "GET", "/messages/") == 200
    assert browser.ask(second.place, "POST", "/logout/") == 302
    return browser.ask(first.place, "GET", "/messages/") == 302


def is_done(job_id: int) -> bool:
    with contextlib.closing(connection):
        state, error = Job.objects.values_list("state", "error").get(pk=job_id)
    assert state not in {"failed", "stopped"}, error
    return state == "done"


def test_versions_work_next_to_each_other_and_the_way_back(versions: tuple[Version, Version]):
    older, newer = versions
    assert ask("SELECT max(name) FROM django_migrations WHERE app = 'messages_app'") == [(OLDEST,)]
    make_old_messages(_OLD_MESSAGES)
    ask(_ROWS, paced=_PACED, single=_SINGLE, failed=_FAILED)
    older.run(
        "createsuperuser",
        "--noinput",
        "--username",
        "admin",
        "--email",
        "a@example.org",
        DJANGO_SUPERUSER_PASSWORD=_PASSWORD,
    )
    token = older.run("create_token", "admin")
    single = [
        row[0] for row in ask("SELECT msg_id FROM message WHERE service_name = 'stock' ORDER BY msg_id")
    ]
    failed = [
        row[0] for row in ask("SELECT msg_id FROM message WHERE service_name = 'invoices' ORDER BY msg_id")
    ]
    oracle = Oracle()

    older.start()
    older.start_beat()
    users = Users(token, single, older)
    assert users.browser.log_in(older.place, "admin", _PASSWORD) == 302
    users.start()
    try:
        # It lasts until after the older version has stopped.
        paced = create_job(
            older, token, kind="cancel", filter={"service_name": "orders"}, options={"rate": 5}
        )
        archiving = create_job(older, token, kind="archive", filter={"service_name": "billing"})
        eventually(
            lambda: ask("SELECT state FROM job WHERE job_id = %(job)s", job=paced) == [("running",)], 120
        )

        newer.run("migrate", "--verbosity", "0")
        users.wait_for_answers()
        newer.start()
        users.open_versions.append(newer)
        users.wait_for_answers()
        assert is_session_shared(older, newer)
        assert is_session_shared(newer, older)
        restarts = [
            create_job(version, token, kind="restart", filter={"msg_id": failed[part::8]})
            for part, version in enumerate((older, newer) * 2)
        ]
        for job in (archiving, *restarts):
            eventually(lambda job=job: is_done(job), 180)
        assert not is_done(paced)

        users.leave(older)
        # A task that the older version has sent is done by a worker of this one.
        last_of_older = create_job(older, token, kind="restart", filter={"msg_id": failed[4::8]})
        older.stop()
        newer.start_beat()
        users.wait_for_answers()
        eventually(lambda: is_done(last_of_older), 120)
        assert not is_done(paced)

        # The way back, before the next migration that takes something away.
        older.start()
        users.open_versions.append(older)
        users.wait_for_answers()
        users.leave(newer)
        last_of_newer = create_job(newer, token, kind="restart", filter={"msg_id": failed[5::8]})
        newer.stop()
        older.start_beat()
        users.wait_for_answers()
        eventually(lambda: is_done(last_of_newer), 120)
        eventually(lambda: is_done(paced), 240)
    finally:
        users.end()

    assert users.refused() == {}
    number = len(users.cancelled)
    assert number > 100
    assert ask(_CANCELLED) == [(number, number)]
    done = ask(
        "SELECT count(*), count(DISTINCT msg_id) FROM job_ledger WHERE outcome = 'done' AND job_id = %(job)s",
        job=paced,
    )
    assert done == [(_PACED, _PACED)]
    # The users' own changes are in no ledger.
    verdict = oracle.verdict()
    of_users = set(users.cancelled)
    assert {row_id for _, row_id in verdict.altered} == of_users
    assert {msg_id for _, _, msg_id in verdict.wrong_reports} == of_users
    assert replace(verdict, altered=[], wrong_reports=[]).is_clean, verdict
    assert ask("SELECT area, sqlstate, reason FROM trigger_gap") == []
    assert [*older.faults(), *newer.faults()] == []
