"""The rows of the statements on other stores and on texts, in worlds whose rows each miss one condition."""

from datetime import datetime, timedelta

import pytest

from messages_app.access.models import IdempotencyKey
from messages_app.core.statements import Statements
from messages_app.document_history.models import (
    DocumentContent,
    DocumentHistory,
    DocumentInDoubt,
    DocumentOutcome,
)
from messages_app.erasure.rows import ids_of
from messages_app.jobs.models import Job, JobItem
from messages_app.message_store.models import (
    EntityRefresh,
    MessageLine,
    MessageStore,
    TargetRecord,
    UnresolvedReference,
)
from messages_app.messages.failures.models import FailureGroup
from tests.support import queues, stores
from tests.support.factories import NOON, make_user

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.erasure")
KEY, OTHER = "C-4711", "C-0815"


def in_doubt(trigger_id: str, state: str, identifier: str = KEY, **columns: object) -> None:
    DocumentInDoubt.objects.create(
        trigger_id=trigger_id, state=state, identifier=identifier, document_uuid="", rule="x", **columns
    )


def record(entity: str, record_key: str, source_message: str) -> None:
    TargetRecord.objects.create(
        entity=entity,
        record_key=record_key,
        valid_from=NOON,
        data={},
        source_message=source_message,
        message_timestamp=NOON,
    )


def reference(message: str, entity: str, record_key: str) -> None:
    UnresolvedReference.objects.create(message_identifier=message, entity=entity, record_key=record_key)


class TestDocuments:
    def test_are_found_in_each_table_with_their_obstacles(self):
        for trigger_id, uuid, status in (
            ("processing", KEY, "processing"),
            ("completed", KEY, "completed"),
            ("other", OTHER, "processing"),
            ("not asked", KEY, "processing"),
        ):
            DocumentHistory.objects.create(
                trigger_id=trigger_id, document_uuid=uuid, status=status, time=NOON
            )
        for trigger_id, uuid in (("content", KEY), ("other", OTHER)):
            DocumentContent.objects.create(trigger_id=trigger_id, document_uuid=uuid, sha256="1", time=NOON)
        for trigger_id, identifier in (("outcome", KEY), ("other", OTHER)):
            DocumentOutcome.objects.create(
                trigger_id=trigger_id, identifier=identifier, status="completed", decided_by="x", rule="x"
            )
        in_doubt("open", "open"), in_doubt("settled", "settled", resolved_at=NOON)
        in_doubt("resubmitted", "resubmitted", resolved_at=NOON)
        in_doubt("taken", "resubmitted", resolved_at=NOON, taken_at=NOON)
        in_doubt("other", "open", OTHER), in_doubt("completed", "open", OTHER)
        triggers = [
            "processing",
            "completed",
            "content",
            "outcome",
            "open",
            "settled",
            "resubmitted",
            "taken",
        ]
        found = statements.fetch_rows(
            "found_documents", {"key": KEY, "triggers": [*triggers, "other", "none"]}
        )
        assert sorted(found) == [
            ("completed", False, False),
            ("content", False, False),
            ("open", False, True),
            ("outcome", False, False),
            ("processing", True, False),
            ("resubmitted", False, True),
            ("settled", False, False),
            ("taken", False, False),
        ]

    def test_history_is_erased_of_one_trigger_and_document_unless_it_is_open(self):
        def times() -> set[tuple[str, str, datetime]]:
            return set(DocumentHistory.objects.values_list("trigger_id", "document_uuid", "time"))

        late = NOON + timedelta(minutes=1)
        for trigger_id, uuid, status, time in (
            ("t-1", KEY, "completed", NOON),
            ("t-1", OTHER, "completed", NOON),
            ("t-2", KEY, "completed", late),
            ("t-2", KEY, "processing", late),
            ("t-3", KEY, "completed", NOON),
            ("t-3", OTHER, "processing", NOON),
        ):
            DocumentHistory.objects.create(
                trigger_id=trigger_id, document_uuid=uuid, status=status, time=time
            )
        before = times()
        assert statements.fetch_rows(
            "values_of_documents", {"triggers": ["t-1", "t-2"], "times": [NOON, NOON]}
        ) in (
            [(KEY,), (OTHER,)],
            [(OTHER,), (KEY,)],
        )
        assert statements.fetch_rows("erase_history", {"key": KEY, "trigger": "t-1"}) == [("t-1", NOON)]
        assert times() == before - {("t-1", KEY, NOON)}
        assert statements.fetch_rows("erase_history", {"key": KEY, "trigger": "t-3"}) == [("t-3", NOON)]
        assert times() == before - {("t-1", KEY, NOON), ("t-3", KEY, NOON)}


class TestStored:
    @pytest.fixture
    def stored(self) -> dict[str, str]:
        """Store messages; return their identifiers by name."""
        stores.define(), stores.define_orders()
        return {name: stores.store([{"id": 1}]) for name in ("one", "two", "three", "four", "five")}

    def test_messages_are_found_by_identifier_records_and_references(self, stored):
        for entity, key, name in (
            ("customer", '["a"]', "one"),
            ("invoice", '["a"]', "two"),
            ("order", "a", "two"),
            ("customer", '["b"]', "three"),
        ):
            record(entity, key, stored[name])
        reference(stored["four"], "supplier", '["a"]'), reference(stored["five"], "supplier", '["b"]')
        reference(stored["three"], "address", "a")
        found = ids_of("found_stored", {"key": stored["five"], "record_keys": ["a", '["a"]']})
        assert found == sorted(stored[name] for name in ("one", "two", "three", "four", "five"))
        assert ids_of("found_stored", {"key": "x", "record_keys": ['["a"]']}) == sorted(
            stored[name] for name in ("one", "two", "four")
        )
        assert ids_of("found_stored", {"key": stored["one"], "record_keys": ["c"]}) == [stored["one"]]

    def test_a_search_finds_the_unfinished_job_of_a_message(self, stored):
        MessageStore.objects.filter(pk=stored["one"]).update(file_path="mine.json")
        stores.set_process(stored["one"], status=25)
        number = MessageLine.objects.get(message_identifier=stored["one"]).number
        jobs = {}
        for kind, state, msg_id, finished in (
            ("reprocess", "done", number, NOON),
            ("restart", "running", number, None),
            ("reprocess", "queued", number + 1, None),
        ):
            job = Job.objects.create(
                kind=kind, state=state, reason="x", created_by="ada", finished_at=finished
            )
            JobItem.objects.create(
                job_id=job.pk, chunk_no=0, msg_id=msg_id, root_msg_id=msg_id, old_state="10"
            )
            jobs[kind, state] = job.pk
        values = {"identifier": stored["one"], "kinds": ["reprocess"]}
        assert statements.fetch_rows("look_at_stored", values) == [(number, 25, "mine.json", None)]
        values["kinds"] = ["reprocess", "restart"]
        assert statements.fetch_rows("look_at_stored", values) == [
            (number, 25, "mine.json", jobs["restart", "running"])
        ]

    def test_refreshes_are_forgotten_by_message_entity_and_time(self, stored):
        late = NOON + timedelta(hours=1)
        MessageStore.objects.filter(pk=stored["one"]).update(
            source_entity="customer", message_timestamp=NOON, effective_timestamp=late
        )
        MessageStore.objects.filter(pk=stored["two"]).update(
            source_entity="order", message_timestamp=NOON, effective_timestamp=None
        )
        for entity, at, name in (
            ("customer", late, "one"),
            ("customer", NOON, "one"),
            ("order", late, "one"),
            ("customer", late, "two"),
            ("order", NOON, "two"),
        ):
            EntityRefresh.objects.create(
                entity=entity, effective_timestamp=at, source_message=stored[name], message_timestamp=NOON
            )
        assert ids_of("forget_refreshes", {"identifier": stored["one"]}) == ["customer"]
        assert ids_of("forget_refreshes", {"identifier": stored["two"]}) == ["order"]
        left = EntityRefresh.objects.values_list("entity", "effective_timestamp", "source_message")
        assert set(left) == {
            ("customer", NOON, stored["one"]),
            ("order", late, stored["one"]),
            ("customer", late, stored["two"]),
        }

    def test_values_are_identifiers_and_keys_of_records_and_references(self, stored):
        numbers = dict(MessageLine.objects.values_list("message_identifier", "number"))
        record("customer", '["a"]', stored["one"]), record("customer", '["b"]', stored["two"])
        record("customer", '["c"]', stored["three"])
        reference(stored["two"], "order", '["d"]'), reference(stored["three"], "order", '["e"]')
        asked = [numbers[stored[name]] for name in ("one", "two")]
        assert sorted(ids_of("values_of_stored", {"ids": asked})) == sorted(
            [stored["one"], stored["two"], '["a"]', '["b"]', '["d"]']
        )


class TestCpMessages:
    def test_are_those_of_the_object_in_the_given_queues(self):
        free = queues.store("free", osid=7)
        held = queues.store("held", queue="ARCHIVE", osid=7, lock="indexer")
        queues.store("other", osid=8), queues.store("not asked", queue="INDEX", osid=7)
        found = statements.fetch_rows("found_cp_messages", {"queues": ["RENDITION", "ARCHIVE"], "osid": 7})
        assert found == sorted([(free, False), (held, True)])


class TestTexts:
    KEY = 'a "b" \u00e9'
    IN_JSON = 'a \\"b\\" \u00e9'

    def test_jobs_have_the_key_in_one_of_their_texts(self):
        def make(**columns: object) -> int:
            texts = {"reason": "r", "created_by": "ada"} | columns
            return Job.objects.create(kind="cancel", state="done", **texts).pk

        mine = [
            make(filter={"object_id": self.KEY}),
            make(options={"x": [self.KEY]}),
            make(report={self.KEY: 1}),
            make(reason=f"of {self.KEY}."),
            make(error=f"{self.KEY}?"),
        ]
        make(filter={"object_id": 'a "b"'}), make(created_by=self.KEY), make(reason='a "b" e')
        assert ids_of("jobs_with", {"key": self.KEY, "in_json": self.IN_JSON}) == mine

    def test_answers_have_the_key_in_their_body_or_key(self):
        user = make_user()
        for key, body in (("1", {"x": self.KEY}), (f"2 {self.KEY}", {}), ("3", {"x": "a"}), ("4", None)):
            IdempotencyKey.objects.create(user=user, key=key, request_sha256=self.KEY, status=200, body=body)
        found = ids_of("answers_with", {"key": self.KEY, "in_json": self.IN_JSON})
        assert sorted(IdempotencyKey.objects.filter(pk__in=found).values_list("key", flat=True)) == [
            "1",
            f"2 {self.KEY}",
        ]

    def test_failure_groups_have_the_key_in_one_of_their_texts(self):
        made = {}
        for name in ("summary", "example", "ticket", "note", "owner"):
            texts = {"summary": "s", "example": "e", name: f"of {self.KEY}."}
            seen = {"first_seen": NOON, "last_seen": NOON, "service_name": "billing", "operation_name": "x"}
            made[name] = FailureGroup.objects.create(fingerprint=name, **texts, **seen).pk
        assert sorted(ids_of("groups_with", {"key": self.KEY})) == [
            made[name] for name in ("summary", "example", "ticket", "note")
        ]
