"""Erasing a subject erases its business keys, also while a pass runs."""

import threading

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from messages_app.audit.digests import subject_digest
from messages_app.business_keys import passes
from messages_app.business_keys.models import BusinessKey, ErasedValue, KeyDefinition
from messages_app.business_keys.passes import extract_new_keys
from messages_app.erasure import archive_files
from messages_app.jobs.connections import own_dsn
from messages_app.shared.sql_files import SqlFiles
from tests.messages_app.erasure.runs import dry_run, run, run_beside, waiting
from tests.support import jobs
from tests.support.cold import into_parquet
from tests.support.eventually import eventually
from tests.support.factories import NOON
from tests.support.plans import faults_of
from tests.support.subjects import KEY, OTHER, holding, make_message, to_archive
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

statements = SqlFiles("messages_app.erasure")


def define(path: str, name: str) -> KeyDefinition:
    return KeyDefinition.objects.create(
        service_name="billing", operation_name="createInvoice", name=name, path=path
    )


def payload(customer: str, order: str) -> str:
    return f"<order><customer>{customer}</customer><id>{order}</id></order>"


def values() -> list[str]:
    return sorted(BusinessKey.objects.values_list("value", flat=True))


@pytest.fixture
def definitions() -> None:
    """Define two keys, and begin with the next message."""
    extract_new_keys()
    define("//customer", "customer")
    define("//id", "order")


@pytest.mark.usefixtures("definitions")
class TestEraseSubject:
    @pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
    def test_deletes_all_keys_of_the_messages_of_the_subject_and_no_others(self, is_archived):
        mine = make_message(payload=payload(KEY, "N1"))
        theirs = make_message(OTHER, payload=payload(OTHER, "N2"))
        extract_new_keys()
        if is_archived:
            to_archive(mine, theirs)
        assert values() == [OTHER, KEY, "N1", "N2"]

        run()

        assert values() == [OTHER, "N2"]
        assert holding(KEY) == {}

    def test_deletes_values_that_are_the_subjects_key_in_messages_of_others(self):
        make_message(OTHER, payload=payload(KEY, "N2"))
        extract_new_keys()

        erased = run()

        assert values() == ["N2"]
        assert erased.rows["business_key"] == 1

    def test_deletes_values_of_inactive_and_deleted_definitions(self):
        make_message(OTHER, payload=payload(KEY, "N2"))
        extract_new_keys()
        KeyDefinition.objects.update(active=False, deleted_at=NOON)

        run()

        assert KEY not in values()

    def test_counts_each_value_once_before_it_erases(self):
        make_message(payload=payload(KEY, "N1"))
        make_message(payload=payload(KEY, "N2"))
        make_message(OTHER, payload=payload(KEY, "N3"))
        extract_new_keys()

        planned = dry_run()

        assert planned.rows["business_key"] == 5
        assert run().rows == planned.rows
        assert values() == ["N3"]

    def test_deletes_a_value_that_was_stored_without_the_blanks_of_the_key(self):
        make_message(OTHER, payload=payload("C  47 11", "N1"))
        extract_new_keys()
        assert values() == ["C 47 11", "N1"]
        run(" C  47 11")
        assert values() == ["N1"]


@pytest.mark.usefixtures("definitions")
class TestAnErasedValue:
    """A message of another subject has the erased value in its payload, and stays."""

    def test_is_not_stored_for_a_copy_of_the_message(self):
        make_message(OTHER, payload=payload(KEY, "N1"))
        extract_new_keys()
        run()
        make_message(OTHER, payload=payload(f" {KEY}", "N2"))
        extract_new_keys()
        assert values() == ["N1", "N2"]

    def test_is_kept_out_if_it_became_a_key_later(self):
        run()
        make_message(OTHER, payload=payload(KEY, "N1"))
        extract_new_keys()
        assert values() == ["N1"]

    def test_is_kept_out_after_the_secret_key_has_changed(self, settings):
        run()
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another key that is long enough to be one of a console"
        make_message(OTHER, payload=payload(KEY, "N1"))
        extract_new_keys()
        assert values() == ["N1"]

    def test_is_not_named_in_the_database(self):
        run()
        (digest,) = ErasedValue.objects.values_list("digest", flat=True)
        assert digest == subject_digest(KEY)

    def test_returns_after_a_dry_run(self):
        make_message(OTHER, payload=payload(KEY, "N1"))
        dry_run()
        extract_new_keys()
        assert values() == [KEY, "N1"]
        assert not ErasedValue.objects.exists()

    def test_is_kept_out_of_a_restored_backup(self, erased_list):
        make_message(OTHER, payload=payload(KEY, "N1"))
        run()
        ErasedValue.objects.all().delete()
        call_command("erase_subject", "--again", str(erased_list), "--dry-run")
        assert not ErasedValue.objects.exists()
        call_command("erase_subject", "--again", str(erased_list), "--yes")
        extract_new_keys()
        assert values() == ["N1"]

    @pytest.mark.usefixtures("spark_remote")
    def test_is_not_stored_by_a_job_for_all_of_history(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        make_message(OTHER, payload=payload(KEY, "live"))
        to_archive(make_message(OTHER, payload=payload(KEY, "archived")))
        into_parquet(make_message(OTHER, payload=payload(KEY, "parquet"), state="OK"))
        jobs.run("index_keys", {})
        assert values() == [KEY, KEY, KEY, "archived", "live", "parquet"]
        run()
        assert values() == ["archived", "live", "parquet"]
        BusinessKey.objects.all().delete()

        jobs.run("index_keys", {})

        assert values() == ["archived", "live", "parquet"]


@pytest.mark.usefixtures("definitions")
class TestWhileAPassRuns:
    def test_waits_and_deletes_what_the_pass_has_stored(self, monkeypatch):
        """The pass has read the payload of a message, and stores its keys while the message is erased."""
        make_message(payload=payload(KEY, "N1"))
        has_read, may_write, write_rows = threading.Event(), threading.Event(), passes.write_rows

        def write_later(rows):
            has_read.set()
            assert may_write.wait(timeout=60)
            return write_rows(rows)

        monkeypatch.setattr(passes, "write_rows", write_later)
        worker = threading.Thread(target=lambda: in_threads(extract_new_keys))
        worker.start()
        assert has_read.wait(timeout=60)
        erasing = run_beside()
        eventually(lambda: waiting() > 0)
        may_write.set()
        worker.join(timeout=60)

        erasing.result(timeout=60)

        assert values() == []
        assert holding(KEY) == {}

    def test_leaves_the_rest_while_a_writer_does_not_end(self):
        make_message(OTHER, payload=payload(KEY, "N1"))
        extract_new_keys()
        with psycopg.connect(own_dsn()) as writer:
            writer.execute(SqlFiles("messages_app.shared").read_text("hold_keys"))
            erased = run()
        assert any("business_key" in left for left in erased.left)
        assert KEY in values()


@pytest.mark.usefixtures("definitions", "spark_remote")
class TestInParquetFiles:
    def test_deletes_what_a_job_has_stored_while_the_files_were_rewritten(
        self, settings, tmp_path, monkeypatch
    ):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        message = make_message(payload=payload(KEY, "N1"), state="OK")
        into_parquet(message)
        rewrite = archive_files.erase_by_spark

        def store_and_rewrite(*args, **options):
            if not options["erasing"].dry_run:
                jobs.run("index_keys", {})
                assert values() == [KEY, "N1"]
            return rewrite(*args, **options)

        monkeypatch.setattr(archive_files, "erase_by_spark", store_and_rewrite)

        run()

        assert values() == []


_MANY = """
INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)
SELECT ids[1 + n % 20], 'N' || n, n, timestamptz '2026-11-01' - n * interval '1 minute'
  FROM generate_series(1, 60000) AS n,
       (SELECT array_agg(definition_id) AS ids FROM business_key_definition) AS of_keys
"""


class TestPlans:
    @pytest.fixture
    def many(self) -> None:
        for number in range(20):
            define(f"//k{number}", f"k{number}")
        with connection.cursor() as cursor:
            cursor.execute(_MANY)
            cursor.execute("ANALYZE business_key")

    @pytest.mark.usefixtures("many")
    def test_read_no_partition_from_end_to_end(self):
        assert faults_of(statements.read_text("values_of_keys"), {"ids": [7, 8]}) == []
        assert faults_of(statements.read_text("delete_key_values"), {"key": "N7"}) == []
        assert BusinessKey.objects.count() == 59_999
