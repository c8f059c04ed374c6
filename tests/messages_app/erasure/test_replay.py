"""After a backup is restored, the erased rows are found by the journal and erased again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, transaction

from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.erasure.replay import keys_again
from messages_app.jobs.models import Job
from messages_app.messages.listing.models import SavedView
from messages_app.messages.models import Message
from tests.messages_app.erasure.runs import run
from tests.messages_app.erasure.test_exports import exported
from tests.support import queues, stores
from tests.support.exports import folder_of
from tests.support.factories import NOON
from tests.support.histories import make_trigger, store_both
from tests.support.subjects import (
    COUNTS,
    KEY,
    OTHER,
    changed_since,
    holding,
    make_message,
    rows_without,
    tables,
    to_archive,
    with_traffic,
)

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def backed_up() -> Iterator[None]:
    """Copy all rows, and restore them at the end, like a backup."""
    names = [name for name in tables() if name not in {"audit_entry", "audit_mark"} | COUNTS]
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f'CREATE TEMP TABLE "backup_{name}" AS SELECT * FROM "{name}"')
    yield
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for name in names:
            cursor.execute(f'DELETE FROM "{name}"')
            cursor.execute(f'INSERT INTO "{name}" SELECT * FROM "backup_{name}"')
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f'DROP TABLE "backup_{name}"')


class TestKeysAgain:
    def test_finds_restored_rows_in_every_place(self, erased_list):
        make_trigger()
        stores.define(json_schema={"type": "object"})
        for key in (KEY, OTHER):
            with_traffic(make_message(key), key)
            to_archive(with_traffic(make_message(key), key))
            store_both(uuid=key)
            stores.process(stores.store([{"id": key}]))
            Job.objects.create(kind="cancel", state="done", reason="x", filter={"object_id": key})
        SavedView.objects.create(
            owner=get_user_model().objects.create(username="ada"), name="x", query=f"object_id={KEY}"
        )
        before = rows_without(KEY)
        with backed_up():
            run()
            assert holding(KEY) == {}
        assert {"message", "archive_message", "document_history", "message_store"} <= set(holding(KEY))

        call_command("erase_subject", "--again", str(erased_list), "--yes")

        assert holding(KEY) == {}
        gone = {place for place, (rows, _) in changed_since(before, KEY).items() if rows}
        assert gone <= {"message_history", "message_line", "message_process"}

    def test_finds_restored_values_of_business_keys(self, erased_list):
        definition = KeyDefinition.objects.create(
            service_name="billing", operation_name="createInvoice", name="customer", path="//customer"
        )
        for msg_id, value in ((make_message(OTHER).pk, KEY), (make_message(OTHER).pk, OTHER)):
            BusinessKey.objects.create(
                definition_id=definition.pk, value=value, msg_id=msg_id, receive_timestamp=NOON
            )
        with backed_up():
            run()
        assert BusinessKey.objects.count() == 2

        call_command("erase_subject", "--again", str(erased_list), "--yes")

        assert [key.value for key in BusinessKey.objects.all()] == [OTHER]

    @pytest.mark.parametrize("place", ["document_history", "message_store", "job", "oscpmqueue"])
    def test_finds_a_subject_that_was_restored_in_only_one_place(self, erased_list, place):
        key = {"oscpmqueue": "471147"}.get(place, KEY)
        make_trigger()
        stores.define(json_schema={"type": "object"})
        make = {
            "document_history": lambda: store_both(uuid=key),
            "message_store": lambda: stores.process(stores.store([{"id": key}])),
            "job": lambda: Job.objects.create(kind="cancel", state="done", filter={"object_id": key}),
            "oscpmqueue": lambda: queues.store("a", osid=int(key)),
        }
        make[place]()
        with backed_up():
            run(key)
        assert [found.value for found in keys_again(erased_list)] == [key]
        call_command("erase_subject", "--again", str(erased_list), "--yes")
        assert keys_again(erased_list) == []
        assert place not in holding(key)

    def test_keeps_a_newer_row_with_the_same_id(self, erased_list):
        message = make_message()
        run()
        make_message(OTHER, msg_id=message.pk)
        assert keys_again(erased_list) == []
        call_command("erase_subject", "--again", str(erased_list), "--yes")
        assert Message.objects.get().object_id == OTHER

    def test_works_with_an_earlier_secret_key(self, erased_list, settings):
        make_message()
        with backed_up():
            run()
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another key of more than fifty characters, of these tests"
        assert [found.value for found in keys_again(erased_list)] == [KEY]
        settings.SECRET_KEY_FALLBACKS = []
        assert keys_again(erased_list) == []

    def test_skips_a_line_that_a_crash_cut_off(self, erased_list):
        make_message()
        with backed_up():
            run()
        erased_list.write_text(erased_list.read_text() + '{"at": "2026-')
        assert [found.value for found in keys_again(erased_list)] == [KEY]


class TestRemoveFilesAgain:
    def test_removes_restored_rows(self, erased_list):
        job = exported(make_message())
        run()
        folder_of(job.pk).mkdir(parents=True)
        (folder_of(job.pk) / "messages.csv").write_text(KEY)
        call_command("erase_subject", "--again", str(erased_list), "--yes")
        assert holding(KEY) == {}


class TestAppend:
    def test_names_no_value(self, erased_list):
        make_trigger()
        store_both(uuid=KEY)
        with_traffic(make_message())
        run()
        lines = [json.loads(line) for line in erased_list.read_text().splitlines()]
        places = {place for line in lines for place in line["rows"]}
        assert places >= {"message", "request", "document_history"}
        assert "lovelace" not in erased_list.read_text().lower()
        assert erased_list.stat().st_mode & 0o077 == 0
