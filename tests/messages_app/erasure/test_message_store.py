import json
from pathlib import Path

import pytest
from django.conf import settings

from messages_app.jobs.models import Job, JobItem
from messages_app.message_store.models import MessageLine, MessageStore, TargetRecord
from messages_app.message_store.services.intake import read_message, store_message
from tests.messages_app.erasure.runs import run
from tests.support import stores
from tests.support.subjects import KEY, OTHER, RECORDS, changed_since, holding, rows_without

pytestmark = pytest.mark.django_db(transaction=True)

TEXT_ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.fixture(autouse=True)
def definitions():
    stores.define(json_schema=TEXT_ID)
    stores.define_orders()


def processed(key: str, **more: object) -> str:
    identifier = stores.store([{"id": key, "name": f"of {key}"}], **more)
    stores.process(identifier)
    return identifier


def archive_attempts(identifier: str) -> None:
    stores.execute(
        "INSERT INTO archive_message_history (message_identifier, processed_timestamp, status, log_text)"
        " SELECT message_identifier, processed_timestamp - interval '1 day', 20, %s FROM message_history"
        "  WHERE message_identifier = %s",
        KEY,
        identifier,
    )


def add_attempt(identifier: str) -> None:
    stores.execute(
        "INSERT INTO message_history (message_identifier, processed_timestamp, status)"
        " SELECT message_identifier, processed_timestamp - interval '1 hour', 20 FROM message_history"
        "  WHERE message_identifier = %s",
        identifier,
    )


class TestEraseStored:
    def test_removes_a_record_and_the_messages_that_wrote_it(self):
        mine = [processed(KEY), processed(KEY, timestamp="2026-01-01T00:00:00Z")]
        theirs = processed(OTHER)
        archive_attempts(mine[0])
        add_attempt(mine[1])
        before = rows_without(KEY)

        found = run()

        assert holding(KEY) == {}
        assert (found.rows["message_store"], found.rows["message_history"]) == (2, 3)
        assert (found.rows["archive_message_history"], found.rows["target_record"]) == (1, 2)
        assert (found.left, found.again) == ([], {})
        assert list(MessageLine.objects.values_list("pk", flat=True)) == list(
            MessageLine.objects.filter(message_identifier=theirs).values_list("pk", flat=True)
        )
        assert list(MessageStore.objects.values_list("pk", flat=True)) == [theirs]
        changed = changed_since(before, KEY)
        assert {each for gone, _ in changed.values() for each in gone if theirs in each} == set()
        assert set(changed) <= RECORDS | {"message_line", "message_process", "message_history"}

    def test_does_not_change_what_the_same_message_wrote_of_others(self):
        identifier = stores.store([{"id": KEY}, {"id": OTHER}])
        stores.process(identifier)
        run()
        assert list(TargetRecord.objects.values_list("record_key", flat=True)) == [json.dumps([OTHER])]
        assert not MessageStore.objects.exists()

    def test_finds_a_message_by_its_own_identifier(self):
        identifier = processed(OTHER, entity="customer", refresh=True)
        found = run(identifier)
        assert holding(identifier) == {}
        assert found.rows["message_store"] == 1

    def test_finds_a_record_whose_key_is_a_number(self):
        stores.define()
        stores.process(stores.store([{"id": 4711}]))
        assert run("4711").rows["target_record"] == 1
        assert not MessageStore.objects.exists()

    def test_removes_the_file_of_a_message(self):
        folder = Path(settings.MESSAGE_STORE_FILES)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "mine.json").write_text(json.dumps([{"id": KEY}]))
        (folder / "theirs.json").write_text(json.dumps([{"id": OTHER}]))
        for name in ("mine", "theirs"):
            message = {"system": "crm", "entity": "customer", "file_path": f"{name}.json"}
            stores.process(store_message(read_message(message), actor=stores.ADA).identifier)
        assert holding(KEY)["store-files"] == 1
        run()
        assert holding(KEY) == {}
        assert (folder / "theirs.json").exists()

    def test_leaves_a_message_that_is_still_to_be_processed(self):
        stores.process(stores.store([{"id": "o-1", "customer": KEY}], entity="order"))
        found = run()
        [(place, _, why)] = found.left
        assert place == "message_store"
        assert "it is requires reprocessing: wait until" in why
        assert MessageStore.objects.count() == 1

    def test_leaves_a_message_that_a_job_has(self):
        identifier = processed(KEY)
        number = MessageLine.objects.get(message_identifier=identifier).number
        job = Job.objects.create(kind="reprocess", state="queued", reason="x", created_by="ada")
        JobItem.objects.create(job_id=job.pk, chunk_no=0, msg_id=number, root_msg_id=number, old_state="10")
        assert f"job {job.pk} includes it" in run().left[0][2]
        assert MessageStore.objects.count() == 1
