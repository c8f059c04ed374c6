"""Checks and ends change one document among neighbours of the same times."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.document_history.models import (
    DocumentContent,
    DocumentHistory,
    DocumentInDoubt,
    DocumentTrigger,
)
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document, check_many, statements
from messages_app.document_history.services.complete import (
    Completed,
    abandon_document,
    complete_document,
    complete_many,
)
from messages_app.document_history.services.delivery import Checked, Delivered
from messages_app.document_history.services.errors import (
    ContentConflict,
    DocumentConflict,
    LeaseLost,
    TriggerNotFound,
    TriggerSuspended,
)
from messages_app.document_history.services.in_doubt import settle_document
from messages_app.document_history.services.triggers import delete_trigger, suspend_trigger
from messages_app.document_history.states import Verdict
from messages_app.document_history.tokens import token_for
from tests.support.audit_entries import audit_rows
from tests.support.histories import ADA, make_trigger

pytestmark = pytest.mark.django_db

BIT = timedelta(microseconds=1)
TIME, OTHER = (datetime(2026, 11, day, tzinfo=UTC) for day in (8, 9))
FUTURE, FAR = datetime(2099, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
DAYS = 86_400
OWN = {"trigger_id": "t-1", "uuid": "u-1"}

Entries = dict[tuple[str, str, str], datetime]


def store_entry(trigger_id: str, uuid: str, status: str, time: datetime) -> None:
    DocumentHistory.objects.create(trigger_id=trigger_id, document_uuid=uuid, status=status, time=time)


@pytest.fixture(autouse=True)
def _neighbours() -> None:
    """Store every kind of entries for neighbours of u-1 of t-1, which is unknown."""
    for trigger_id in ("t-0", "t-1", "t-2", "t-3"):
        make_trigger(trigger_id, history_ttl_seconds=3_000 * DAYS)
    for trigger_id, uuid, entries in (
        ("t-0", "u-1", {"processing": TIME, "completed": TIME}),
        ("t-2", "u-1", {"processing": OTHER}),
        ("t-3", "u-1", {"processing": TIME}),
        ("t-1", "u-0", {"processing": TIME, "completed": TIME}),
        ("t-1", "u-2", {"processing": OTHER}),
        ("t-1", "u-3", {"processing": TIME}),
    ):
        for status, time in entries.items():
            store_entry(trigger_id, uuid, status, time)
        DocumentContent.objects.create(trigger_id=trigger_id, document_uuid=uuid, sha256="a" * 64, time=TIME)


def entries() -> Entries:
    rows = DocumentHistory.objects.values_list("trigger_id", "document_uuid", "status", "time")
    return {(trigger_id, uuid, status): time for trigger_id, uuid, status, time in rows}


class Changes:
    """The entries that differ from those at first: of u-1 of t-1 by status, and of all others."""

    def __init__(self) -> None:
        self._before = entries()

    def own(self) -> dict[str, datetime]:
        """Return the entries of u-1 of t-1, if no other has changed."""
        now, own = entries(), {}
        for key in now.keys() | self._before.keys():
            if key[:2] == ("t-1", "u-1"):
                own |= {key[2]: now[key]} if key in now else {}
            else:
                assert now.get(key) == self._before.get(key), key
        return own


class TestComplete:
    @pytest.mark.parametrize("many", [False, True])
    @pytest.mark.parametrize(
        ("stored", "left"),
        [
            ({"processing": TIME}, {"processing": TIME, "completed": TIME}),
            ({}, {"completed": TIME}),
            ({"processing": TIME, "completed": TIME}, {"processing": TIME, "completed": TIME}),
            ({"completed": TIME - BIT}, {"completed": TIME}),
            ({"completed": TIME}, {"completed": TIME}),
        ],
        ids=str,
    )
    def test_writes_the_time_of_the_token(self, many, stored, left):
        for status, time in stored.items():
            store_entry("t-1", "u-1", status, time)
        changes, asked = Changes(), OWN | {"token": token_for("t-1", "u-1", TIME)}
        (completed,) = complete_many([asked]) if many else [complete_document(**asked)]
        assert completed == Completed(**OWN, time=TIME)
        assert changes.own() == left

    @pytest.mark.parametrize("many", [False, True])
    @pytest.mark.parametrize(
        "stored",
        [{"processing": TIME + BIT}, {"processing": TIME - BIT}, {"completed": TIME + BIT}],
        ids=str,
    )
    def test_changes_nothing_for_a_token_of_another_start(self, many, stored):
        for status, time in stored.items():
            store_entry("t-1", "u-1", status, time)
        changes, asked = Changes(), OWN | {"token": token_for("t-1", "u-1", TIME)}
        if many:
            (answer,) = complete_many([asked])
            assert isinstance(answer, LeaseLost)
        else:
            with pytest.raises(LeaseLost):
                complete_document(**asked)
        assert changes.own() == stored

    @pytest.mark.parametrize("many", [False, True])
    def test_reports_that_an_operator_settled_the_document(self, many):
        store_entry("t-1", "u-1", "processing", TIME)
        check_document(**OWN)
        line = DocumentInDoubt.objects.get()
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done")
        asked = OWN | {"token": token_for("t-1", "u-1", TIME)}
        if many:
            (answer,) = complete_many([asked])
            assert isinstance(answer, DocumentConflict)
        else:
            with pytest.raises(DocumentConflict, match="settled the document"):
                complete_document(**asked)


class TestAbandon:
    @pytest.mark.parametrize(
        ("stored", "is_done"),
        [
            ({"processing": TIME}, True),
            ({"processing": TIME + BIT}, False),
            ({"completed": TIME}, False),
            ({"processing": TIME, "completed": TIME}, False),
            ({}, False),
        ],
        ids=str,
    )
    def test_withdraws_the_entry_of_the_token(self, stored, is_done):
        for status, time in stored.items():
            store_entry("t-1", "u-1", status, time)
        changes = Changes()
        assert abandon_document(**OWN, token=token_for("t-1", "u-1", TIME)) == is_done
        assert changes.own() == ({} if is_done else stored)


@pytest.mark.parametrize("name", ["start_again", "resubmit"])
class TestStartAgain:
    @pytest.mark.parametrize("time", [TIME, FUTURE, FAR, FAR - BIT], ids=str)
    def test_gives_a_later_start(self, name, time):
        store_entry("t-1", "u-1", "processing", time)
        changes = Changes()
        (start,) = statements.fetch_row(name, OWN | {"seen": time})
        assert changes.own() == {"processing": start}
        if time in {FUTURE, FAR - BIT}:
            assert start == time + BIT
        else:
            assert OTHER < start < FUTURE

    @pytest.mark.parametrize(
        "stored", [{"completed": TIME}, {"processing": TIME, "completed": TIME}], ids=str
    )
    def test_leaves_a_completed_document(self, name, stored):
        for status, time in stored.items():
            store_entry("t-1", "u-1", status, time)
        changes = Changes()
        assert statements.fetch_row(name, OWN | {"seen": TIME}) is None
        assert changes.own() == stored

    def test_starts_a_document_without_entries_only_for_an_operator(self, name):
        changes = Changes()
        row = statements.fetch_row(name, OWN | {"seen": TIME})
        assert changes.own() == ({"processing": row[0]} if name == "resubmit" else {})


class TestStartAgainByAResolver:
    def test_is_audited_with_both_starts(self):
        resolvers.register_resolver("tests.neighbours")(
            lambda asked: {"status": "NEW", "message": "The ledger lacks it."}
        )
        try:
            DocumentTrigger.objects.filter(pk="t-1").update(resolver="tests.neighbours")
            store_entry("t-1", "u-1", "processing", TIME)
            changes = Changes()
            checked = check_document(**OWN)
        finally:
            resolvers.unregister_resolver("tests.neighbours")
        start = changes.own()["processing"]
        assert (checked.verdict, checked.token) == (Verdict.NEW, token_for("t-1", "u-1", start))
        (row,) = audit_rows("start_again")
        assert row == {
            "actor": "resolver tests.neighbours",
            "actor_id": None,
            "token_name": "",
            "address": None,
            "request_id": "",
            "action": "start_again",
            "outcome": "done",
            "msg_id": None,
            "job_id": None,
            "subject_kind": "trigger",
            "subject": "t-1",
            "before_state": "processing",
            "after_state": "processing",
            "reason": "The ledger lacks it.",
            "details": {
                "document_uuid": "u-1",
                "old_start": TIME.isoformat(),
                "new_start": start.isoformat(),
            },
        }


class TestCheck:
    @pytest.mark.parametrize("many", [False, True])
    def test_starts_only_new_documents_of_triggers_that_use_the_history(self, many):
        for trigger_id, properties in (
            ("off", {"detect_duplicates": False}),
            ("none", {"use_history": False}),
            ("stopped", {}),
            ("gone", {}),
        ):
            make_trigger(trigger_id, **properties)
        suspend_trigger(trigger_id="stopped", because="down")
        delete_trigger(trigger_id="gone", actor=ADA)
        expected = {
            ("t-1", "u-1"): Verdict.NEW,
            ("t-1", "u-0"): Verdict.DUPLICATE,
            ("t-1", "u-2"): Verdict.IN_DOUBT,
            ("t-0", "u-0"): Verdict.NEW,
            ("t-0", "u-1"): Verdict.DUPLICATE,
            ("off", "u-0"): Verdict.NEW,
            ("none", "u-0"): Verdict.NEW,
            ("stopped", "u-0"): TriggerSuspended,
            ("gone", "u-0"): TriggerNotFound,
            ("unknown", "u-0"): TriggerNotFound,
        }
        before = entries()
        asked = [
            Delivered(trigger_id=trigger_id, uuid=uuid, content_sha256=f"{number}" * 64)
            if (trigger_id, uuid) in {("t-1", "u-1"), ("t-0", "u-0")}
            else Delivered(trigger_id=trigger_id, uuid=uuid)
            for number, (trigger_id, uuid) in enumerate(expected)
        ]
        answers = check_many(asked) if many else [single_answer(one) for one in asked]
        found = [getattr(answer, "verdict", type(answer)) for answer in answers]
        assert dict(zip(expected, found, strict=True)) == expected
        started = {("t-1", "u-1", "processing"), ("t-0", "u-0", "processing")}
        assert {key for key, time in entries().items() if before.get(key) != time} == started
        new = DocumentContent.objects.exclude(sha256="a" * 64)
        assert {(one.trigger_id, one.document_uuid): (one.sha256[0], one.time) for one in new} == {
            ("t-1", "u-1"): ("0", entries()["t-1", "u-1", "processing"]),
            ("t-0", "u-0"): ("3", entries()["t-0", "u-0", "processing"]),
        }

    def test_keeps_the_first_content_of_each_new_document(self):
        asked = (("u-7", ""), ("u-8", "8"), ("u-9", "9"), ("u-8", "7"))
        answers = check_many(
            [Delivered(trigger_id="t-1", uuid=uuid, content_sha256=digit * 64) for uuid, digit in asked]
        )
        assert [type(answer) for answer in answers] == [Checked] * 3 + [ContentConflict]
        new = DocumentContent.objects.exclude(sha256="a" * 64).values_list("document_uuid", "sha256")
        assert dict(new) == {"u-8": "8" * 64, "u-9": "9" * 64}

    def test_compares_the_content_with_that_of_its_own_entries(self):
        for trigger_id, uuid in (("t-1", "u-1"), ("t-1", "u-9")):
            store_entry(trigger_id, uuid, "processing", TIME)
        DocumentContent.objects.create(trigger_id="t-1", document_uuid="u-9", sha256="b" * 64, time=TIME)
        assert not check_document(**OWN, content_sha256="c" * 64).is_content_checked
        assert check_document(trigger_id="t-1", uuid="u-9", content_sha256="b" * 64).is_content_checked
        with pytest.raises(ContentConflict):
            check_document(trigger_id="t-1", uuid="u-9", content_sha256="a" * 64)
        DocumentContent.objects.filter(document_uuid="u-9").update(time=OTHER)
        assert not check_document(trigger_id="t-1", uuid="u-9", content_sha256="a" * 64).is_content_checked


def single_answer(one: Delivered) -> object:
    try:
        return check_document(
            trigger_id=one.trigger_id,
            uuid=one.identity.identifier,
            content_sha256=one.content_sha256,
        )
    except (TriggerSuspended, TriggerNotFound) as refusal:
        return refusal
