"""A database with part of the replaced migrations is refused before anything is written, in one line."""

from itertools import accumulate
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_migrations
from hubconsole.devserver import preflight
from hubconsole.migration_history import DO, missing_migration, replaced_migrations
from messages_app.core.embedded_servers import CannotStart

NAMES = sorted(set().union(*replaced_migrations().values()))
OF_OURS = MigrationRecorder.Migration.objects.filter(app="messages_app")


def have(*names: str) -> None:
    """Record that these migrations of the product are applied, and no others."""
    OF_OURS.all().delete()
    for name in names:
        MigrationRecorder(connection).record_applied("messages_app", name)


def recorded() -> list[tuple[int, str]]:
    return list(OF_OURS.order_by("pk").values_list("pk", "name"))


@pytest.mark.django_db
class TestMissingMigration:
    def test_names_the_first_one_for_every_older_version(self):
        assert len(NAMES) == 46
        for count in range(1, len(NAMES)):
            have(*NAMES[:count])
            assert missing_migration() in {f"messages_app.{name}" for name in NAMES[count:]}

    def test_is_none_for_the_last_version_before(self):
        have(*NAMES)
        assert missing_migration() is None

    def test_is_none_if_a_new_database_was_partly_migrated(self):
        for names in accumulate(
            [replaced_migrations()[name] for name in sorted(replaced_migrations())], frozenset.union
        ):
            have(*names)
            assert missing_migration() is None

    def test_is_none_for_an_empty_database(self):
        have()
        assert missing_migration() is None

    def test_finds_names_that_were_deleted_after_the_upgrade(self):
        have(*replaced_migrations())
        assert missing_migration() == "messages_app.0001_tables"


@pytest.mark.django_db
class TestRefusal:
    LINE = (
        f"The database is older than this version can upgrade: it lacks messages_app.0037_trigger_gaps. {DO}"
    )

    @pytest.fixture(autouse=True)
    def _older(self):
        have(*NAMES[:36])
        self.before = recorded()
        yield
        assert recorded() == self.before

    def test_is_the_answer_of_migrate(self):
        with pytest.raises(CommandError) as refused:
            call_command("migrate", verbosity=0)
        assert str(refused.value) == self.LINE
        assert "\n" not in self.LINE

    def test_is_the_answer_of_up(self):
        with pytest.raises(CannotStart) as refused:
            preflight.check_version()
        assert str(refused.value) == self.LINE

    def test_is_the_answer_of_doctor(self):
        with pytest.raises(Unhealthy) as refused:
            check_migrations()
        assert "lacks messages_app.0037_trigger_gaps" in str(refused.value)
        assert "\n" not in str(refused.value)


def test_every_file_replaces_other_migrations():
    names = [name for olds in replaced_migrations().values() for name in olds]
    assert len(names) == len(set(names))
    assert not set(names) & {path.stem for path in Path("messages_app/migrations").glob("0*.py")}
