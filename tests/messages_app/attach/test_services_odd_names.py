"""A schema of a hub may have any name that PostgreSQL allows."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from messages_app.attach.recognition import recognize_hub
from messages_app.messages.attachment import current_attachment
from messages_app.shared.job_states import JobState
from tests.support import jobs
from tests.support.attached import ZONE, detach
from tests.support.databases import schema
from tests.support.hubs import hub_database, statements

NAME = 'Open-Hub (old) "q" És/2 $$ \\'
QUOTED = '"Open-Hub (old) ""q"" És/2 $$ \\"'
ARCHIVED = [2, 4, 5, 20, 21, 22]


def run(statement: str, *values: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(params=["OpenHub 2.3", pytest.param("CleverBus 2.0", marks=pytest.mark.slow)])
def hub(request, django_db_setup, django_db_blocker, settings) -> Iterator[None]:
    """Let Django use a hub whose schema has this name, with messages to archive."""
    with django_db_blocker.unblock(), hub_database(request.param) as name:
        place = "openhub" if request.param == "OpenHub 2.3" else "public"
        run(f"SET search_path = {place}; {statements.read_text('rows_to_archive')}; RESET search_path")
        run(f"ALTER SCHEMA {place} RENAME TO {QUOTED}")
        settings.HUB_RULES = recognize_hub(NAME).family.rules
        yield
        assert name


def attach(*words: str) -> str:
    output = StringIO()
    call_command("attach", NAME, *words, time_zone=ZONE, stdout=output, stderr=StringIO())
    return output.getvalue()


@pytest.mark.usefixtures("hub", "spark_remote")
class TestAttach:
    def test_works_with_everything_that_it_can_create_and_leaves_nothing(self, settings, tmp_path):
        before = schema()

        attach("--create-triggers", "--create-indexes", "--create-archive")

        assert current_attachment().hub_schema == NAME
        indexed = run(
            "SELECT count(*) FROM pg_indexes WHERE schemaname = %s AND indexname LIKE 'hubc%%'", NAME
        )
        assert indexed[0][0] > 20
        assert run("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'hubc_message_%'") == [(4,)]
        job = jobs.run("archive", {}, to="tables").job
        assert (job.state, job.error) == (JobState.DONE, "")
        assert run(f"SELECT msg_id FROM {QUOTED}.archive_message ORDER BY 1") == [(one,) for one in ARCHIVED]
        restored = jobs.run("restore", {"msg_id": ARCHIVED}).job
        assert (restored.state, restored.error) == (JobState.DONE, "")
        settings.HUBCONSOLE_HOME = tmp_path

        detach()

        assert schema() == before
        assert [file.name.startswith("audit-Open-Hub_") for file in tmp_path.glob("*.jsonl")] == [True]
