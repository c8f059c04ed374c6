"""
Many workers, killed and reset at random: every object is processed at least once in its newest state,
and no message ever has two valid reservations.

A trigger of the test writes down what happens to each message.

Source: docs/contributing/spec/promises.md, I-46, I-49, F-68.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpMessage, CpReservation, CpRetry, CpService
from messages_app.cp_queue.services.create import create_messages
from tests.support.eventually import eventually
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

_DISTURBED_EVERY = 20

TABLES = """
CREATE TABLE swarm_object (osid int PRIMARY KEY, version int NOT NULL);
CREATE TABLE swarm_worked (osid int, version int, messageguid text, token text);
CREATE TABLE swarm_change (
    place bigserial, messageguid text, old_check text, new_check text, gone boolean
);
CREATE FUNCTION swarm_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO swarm_change (messageguid, old_check, new_check, gone)
  VALUES (OLD.messageguid, OLD.checkguid, CASE WHEN TG_OP = 'UPDATE' THEN NEW.checkguid END, TG_OP =
  'DELETE'); RETURN NULL;
END
$$;
CREATE TRIGGER swarm_note AFTER UPDATE OR DELETE ON oscpmqueue FOR EACH ROW EXECUTE FUNCTION swarm_note();
"""
TABLES_BACK = """
DROP TRIGGER swarm_note ON oscpmqueue;
DROP FUNCTION swarm_note();
DROP TABLE swarm_object, swarm_worked, swarm_change;
"""


def send(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def world(transactional_db) -> Iterator[None]:
    send(TABLES)
    yield
    send(TABLES_BACK)


def change_one(chance: random.Random, objects: int) -> None:
    """Change an object at random, and leave one message of it or two, in one transaction."""
    osid = chance.randrange(objects)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO swarm_object AS known VALUES (%s, 1)"
            " ON CONFLICT (osid) DO UPDATE SET version = known.version + 1",
            [osid],
        )
        queues = ["RENDITION"] if chance.random() < 0.5 else ["RENDITION", "FULLTEXTIDX"]
        create_messages(object_id=osid, object_type=65_536, queues=queues)


def change_and_disturb(swarm: subprocess.Popen, *, workers: int, changes: int, objects: int) -> None:
    """
    Change objects, and after this many changes kill or reset a worker.

    Both wait for the workers if too much is left, so that a run does the same however slow it is.
    """
    chance = random.Random(7)  # noqa: S311 (no secret)
    eventually(lambda: CpService.objects.count() == workers, 120)
    for number in range(1, changes + 1):
        change_one(chance, objects)
        if number % _DISTURBED_EVERY == 0:
            swarm.stdin.write(b"disturb\n")
            swarm.stdin.flush()
            eventually(lambda: CpMessage.objects.filter(lock_service=None).count() < 3 * workers, 120)


def run_swarm(*, workers: int, changes: int, objects: int) -> None:
    swarm = subprocess.Popen(
        [sys.executable, "-m", "tests.messages_app.cp_queue.swarm", str(workers), "7"],
        stdin=subprocess.PIPE,
        env=os.environ | database_of_tests(),
        start_new_session=True,
    )
    try:
        change_and_disturb(swarm, workers=workers, changes=changes, objects=objects)
        swarm.communicate(b"end\n", timeout=200)
    finally:
        if swarm.poll() is None:
            os.killpg(swarm.pid, 9)
            swarm.wait()
    assert swarm.returncode == 0
    # One at the start of each worker; and of the ones that started again, and those between.
    assert AuditEntry.objects.filter(action="reset_cp_service").count() > workers


def check_outcome() -> None:
    assert not CpMessage.objects.exists()
    assert not CpReservation.objects.exists()
    assert not CpRetry.objects.exists()
    # From one reservation to the next a message was free.
    assert not send("SELECT * FROM swarm_change WHERE old_check <> new_check")
    # A dispatch ended a reservation that its worker had, and each message ended once.
    assert not send(
        "SELECT messageguid FROM cp_dispatch WHERE outcome = 'done' GROUP BY 1 HAVING count(*) > 1"
    )
    assert not send(
        "SELECT old_check FROM swarm_change WHERE gone AND old_check IS NOT NULL"
        " AND NOT EXISTS (SELECT FROM swarm_worked WHERE token = old_check)"
    )
    # The newest state of every object was seen within a reservation that was valid to its end.
    assert not send(
        "SELECT osid, version FROM swarm_object AS object"
        " WHERE NOT EXISTS (SELECT FROM swarm_worked AS worked"
        "                     JOIN swarm_change AS change"
        "                       ON change.messageguid = worked.messageguid AND change.old_check ="
        " worked.token                    WHERE change.gone AND worked.osid = object.osid"
        "                      AND worked.version = object.version)"
    )


class TestWorkers:
    @pytest.mark.slow
    def test_process_every_object_in_its_newest_state(self, world):
        run_swarm(workers=8, changes=400, objects=60)
        check_outcome()

    @pytest.mark.slow
    def test_process_every_object_when_there_are_fifty(self, world):
        run_swarm(workers=50, changes=5_000, objects=500)
        check_outcome()
