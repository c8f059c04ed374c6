"""
Many workers at once, killed and reset at random: every object is processed at least once in its newest state,
and no message ever has two valid reservations.

A trigger of the test writes down what happens to each message. Source: reliability I-46, I-49; F-68.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from messages_app.cp_queue import services
from messages_app.cp_queue.models import CpMessage, CpReservation, CpRetry
from tests.eventually import eventually
from tests.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

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


def change_objects(changes: int, objects: int) -> None:
    """Change objects at random, each change with a message of it in one transaction or another."""
    chance = random.Random(7)  # noqa: S311 (no secret)
    for _ in range(changes):
        osid = chance.randrange(objects)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO swarm_object AS known VALUES (%s, 1)"
                " ON CONFLICT (osid) DO UPDATE SET version = known.version + 1",
                [osid],
            )
            queues = ["RENDITION"] if chance.random() < 0.5 else ["RENDITION", "FULLTEXTIDX"]
            services.create(object_id=osid, object_type=65_536, queues=queues)


def run_swarm(*, workers: int, changes: int, objects: int) -> None:
    swarm = subprocess.Popen(
        [sys.executable, "-m", "tests.messages_app.cp_queue.swarm", str(workers), "7"],
        stdin=subprocess.PIPE,
        env=os.environ | database_of_tests(),
        start_new_session=True,
    )
    try:
        change_objects(changes, objects)
        # Where the workers were slower to start than that, the first kill has yet to come.
        eventually(lambda: resets() > workers or change_objects(20, objects), 60)
        swarm.communicate(b"\n", timeout=500)
    finally:
        if swarm.poll() is None:
            os.killpg(swarm.pid, 9)
            swarm.wait()
    assert swarm.returncode == 0


def resets() -> int:
    """How many resets there were: one at the start of each worker, and those between."""
    return send("SELECT count(*) FROM audit_entry WHERE action = 'reset_cp_service'")[0][0]


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
    def test_process_every_object_in_its_newest_state(self, world):
        run_swarm(workers=8, changes=800, objects=60)
        check_outcome()

    @pytest.mark.slow
    def test_process_every_object_when_there_are_fifty(self, world):
        run_swarm(workers=50, changes=10_000, objects=500)
        check_outcome()
