"""A database with the last of the replaced migrations is upgraded unchanged, and the console works on it."""

import gzip
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Sum
from django.test import Client

from hubconsole.checks.database import check_indexes, check_migrations
from hubconsole.devserver import preflight
from hubconsole.migration_history import replaced_migrations
from messages_app.audit import seals, verification
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM, record
from messages_app.jobs.models import Job
from messages_app.messages.metrics.models import MessageChange
from messages_app.messages.models import Message, MessageEvent
from tests.support import jobs
from tests.support.archive_months import plain_archive
from tests.support.databases import another_database, rows, schema
from tests.support.factories import make_message

DUMP = Path(__file__).parent / "0046_schedules_task.sql.gz"
# The tables that the upgrade writes: the applied migrations, the content types of new models, and their
# permissions.
WRITTEN = {"django_migrations", "django_content_type", "auth_permission", "auth_group_permissions"}
# Tables whose columns have changed: their rows have another digest.
OTHER_COLUMNS = {
    "message_change",
    "job_chunk",
    "failure_group",
    "audit_entry",
    "audit_seal",
    "audit_mark",
    "job",
}


class Upgrade:
    """The upgrade of the old database: its output, and the rows before and after."""

    def __init__(self) -> None:
        self.before = rows()
        output = StringIO()
        call_command("migrate", stdout=output)
        self.printed = output.getvalue()
        self.after = rows()


@pytest.fixture(scope="module")
def upgrade(django_db_setup, django_db_blocker) -> Iterator[Upgrade]:
    with (
        django_db_blocker.unblock(),
        another_database("upgraded", gzip.decompress(DUMP.read_bytes()).decode()),
    ):
        yield Upgrade()


def test_old_database_has_rows_in_every_table(upgrade: Upgrade):
    assert [table for table, (count, _) in upgrade.before.items() if not count] == []


def test_upgrade_runs_only_the_migrations_that_replace_none(upgrade: Upgrade):
    newer = sorted(name for name, olds in replaced_migrations().items() if not olds)
    assert re.findall(r"Applying (\S+)\.\.\.", upgrade.printed) == [f"messages_app.{name}" for name in newer]
    recorded = {
        name for app, name in MigrationRecorder(connection).applied_migrations() if app == "messages_app"
    }
    assert recorded == set(replaced_migrations()).union(*replaced_migrations().values())
    check_migrations()
    check_indexes()
    preflight.check_version()


def test_upgrade_keeps_every_row(upgrade: Upgrade):
    for table in upgrade.before.keys() - WRITTEN - OTHER_COLUMNS:
        assert upgrade.after[table] == upgrade.before[table], table
    for table in OTHER_COLUMNS:
        assert upgrade.after[table][0] == upgrade.before[table][0], table


def test_upgraded_database_has_the_schema_of_a_new_one(upgrade: Upgrade):
    """
    Restore the new one too: PostgreSQL prints some conditions in another form after they were restored.

    Archive tables with rows stay plain until `archive_months --partition`.
    """
    upgraded = schema()
    with another_database("new"):
        call_command("migrate", verbosity=0)
        with plain_archive():
            new = schema()
    with another_database("restored", new):
        assert schema() == upgraded


def test_upgrade_gives_jobs_to_the_users_who_created_them(upgrade: Upgrade):
    users = dict(get_user_model().objects.values_list("username", "pk"))
    creators = Job.objects.values_list("created_by", "creator_id")
    assert creators
    assert [creator_id for _, creator_id in creators] == [users.get(name) for name, _ in creators]


def test_upgraded_audit_log_continues_with_the_next_id(upgrade: Upgrade):
    last = AuditEntry.objects.latest("pk").pk
    entry = record(actor=SYSTEM, action="restart")
    assert (entry.pk > last, seals.last_assigned_id()) == (True, entry.pk)
    seals.seal()
    assert verification.count_unsealed().entries == 0


def test_list_shows_the_messages_of_the_upgraded_database(upgrade: Upgrade):
    client = Client()
    client.force_login(get_user_model().objects.get(username="ana"))
    failed = Message.objects.filter(state="FAILED").values_list("pk", flat=True)
    page = client.get("/messages/?state=FAILED&receive_timestamp_from=2020-01-01T00:00Z").content.decode()
    assert len(failed) == 3
    assert all(f'Select message {pk}"' in page for pk in failed)


def test_triggers_count_a_message_in_the_upgraded_database(upgrade: Upgrade):
    before = MessageChange.objects.aggregate(present=Sum("present"), entered=Sum("entered"))
    message = make_message(state="PROCESSING", msg_id=90_000_001)
    Message.objects.filter(pk=message.pk).update(state="FAILED")
    after = MessageChange.objects.aggregate(present=Sum("present"), entered=Sum("entered"))
    assert (after["present"] - before["present"], after["entered"] - before["entered"]) == (1, 2)
    event = MessageEvent.objects.get(msg_id=message.pk)
    assert (event.from_state, event.to_state) == ("PROCESSING", "FAILED")


@pytest.mark.usefixtures("spark_remote")
def test_job_restarts_messages_of_the_upgraded_database(upgrade: Upgrade):
    failed = sorted(Message.objects.filter(state="FAILED").values_list("pk", flat=True))
    job = jobs.new_job("restart", {"state": ["FAILED"]})
    jobs.work(job)
    assert jobs.done_by(job) == failed
