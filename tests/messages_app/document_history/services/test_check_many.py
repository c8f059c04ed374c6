"""Many documents in one call: answered as single calls would, by one statement that never deadlocks."""

from collections import Counter
from functools import partial
from itertools import pairwise

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from messages_app.document_history.models import (
    DocumentHistory,
    DocumentInDoubt,
    DocumentOutcome,
    DocumentTrigger,
)
from messages_app.document_history.services import check as check_services
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import (
    Completed,
    Completion,
    complete_document,
    complete_many,
)
from messages_app.document_history.services.delivery import Checked, Delivered
from messages_app.document_history.services.errors import (
    ContentConflict,
    DocumentNotFound,
    HistoryUnavailable,
    LeaseLost,
    TriggerNotFound,
    TriggerSuspended,
)
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.document_history.states import Verdict
from messages_app.document_history.tokens import token_for
from tests.support.histories import entries_of, history_locked, make_trigger, store_both, store_entry
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

HASH, OTHER = "a" * 64, "b" * 64


def check_many(*uuids: str, trigger_id: str = "t-1") -> list:
    return check_services.check_many([Delivered(trigger_id=trigger_id, uuid=uuid) for uuid in uuids])


def statements_in(sent: CaptureQueriesContext) -> list[str]:
    """Return the statements without the savepoints of the test's own transaction."""
    return [one["sql"] for one in sent.captured_queries if "SAVEPOINT" not in one["sql"]]


def verdicts(answers: list) -> list:
    return [getattr(answer, "verdict", type(answer)) for answer in answers]


class TestCheckMany:
    def test_answers_each_document_in_its_place(self):
        make_trigger()
        store_both(uuid="done")
        store_entry("processing", uuid="begun")
        answers = check_many("new-2", "done", "begun", "new-1")
        assert verdicts(answers) == [Verdict.NEW, Verdict.DUPLICATE, Verdict.IN_DOUBT, Verdict.NEW]
        assert [answer.uuid for answer in answers] == ["new-2", "done", "begun", "new-1"]
        assert {"processing"} == set(entries_of("new-1")) == set(entries_of("new-2"))
        assert dict(DocumentOutcome.objects.values_list("identifier", "status")) == {
            "done": "DUPLICATE",
            "begun": "IN_DOUBT",
        }

    def test_gives_tokens_that_complete_the_documents(self):
        make_trigger()
        for answer in check_many("u-1", "u-2"):
            complete_document(trigger_id="t-1", uuid=answer.uuid, token=answer.token)
        assert verdicts(check_many("u-1", "u-2")) == [Verdict.DUPLICATE, Verdict.DUPLICATE]

    def test_answers_a_document_given_twice_as_two_calls_would(self):
        make_trigger()
        answers = check_many("u-1", "u-2", "u-1", "u-1")
        assert verdicts(answers) == [Verdict.NEW, Verdict.NEW, Verdict.IN_DOUBT, Verdict.IN_DOUBT]
        assert DocumentInDoubt.objects.get().deliveries == 2

    def test_knows_a_document_by_whichever_identifier_it_has(self):
        make_trigger()
        answers = check_services.check_many(
            [
                Delivered(trigger_id="t-1", uuid="u-1"),
                Delivered(trigger_id="t-1", track_id="u-1"),
                Delivered(trigger_id="t-1", uuid="x" * 97),
                Delivered(trigger_id="t-1", uuid="u-1", is_guaranteed=False),
            ]
        )
        assert [answer.rule for answer in answers] == [
            "no_entry",
            "processing_only",
            "uuid_too_long",
            "not_guaranteed",
        ]

    def test_keeps_the_triggers_apart(self):
        make_trigger("t-1")
        make_trigger("t-2")
        make_trigger("off", use_history=False)
        deliveries = [Delivered(trigger_id=name, uuid="u-1") for name in ("t-1", "off", "t-2")]
        assert [answer.rule for answer in check_services.check_many(deliveries)] == [
            "no_entry",
            "no_delivery_count",
            "no_entry",
        ]
        assert DocumentHistory.objects.count() == 2

    def test_gives_an_error_only_to_the_document_that_has_it(self):
        make_trigger("t-1")
        make_trigger("held")
        suspend_trigger(trigger_id="held", because="the ledger is down")
        deliveries = [Delivered(trigger_id=name, uuid="u-1") for name in ("none", "t-1", "held")]
        assert verdicts(check_services.check_many(deliveries)) == [
            TriggerNotFound,
            Verdict.NEW,
            TriggerSuspended,
        ]

    def test_compares_contents(self):
        make_trigger()
        deliveries = [
            Delivered(trigger_id="t-1", uuid="u-1", content_sha256=content) for content in (HASH, OTHER, HASH)
        ]
        first, other, same = check_services.check_many(deliveries)
        assert first.verdict is Verdict.NEW
        assert isinstance(other, ContentConflict)
        assert (same.verdict, same.is_content_checked) == (Verdict.IN_DOUBT, True)

    def test_asks_the_resolver_about_each_document_that_it_decides(self):
        asked = []

        def accept(one: dict) -> dict:
            asked.append(one["uuid"])
            return {"status": "NEW"}

        resolvers.register_resolver("tests.many")(accept)
        try:
            make_trigger(resolver="tests.many")
            began = store_entry("processing", uuid="begun")
            answers = check_many("begun", "u-1")
        finally:
            resolvers.unregister_resolver("tests.many")
        assert verdicts(answers) == [Verdict.NEW, Verdict.NEW]
        assert asked == ["begun"]
        assert entries_of("begun")["processing"] > began

    def test_sends_one_statement_for_any_number_of_new_documents(self):
        make_trigger()
        with CaptureQueriesContext(connection) as sent:
            answers = check_many(*(f"u-{number}" for number in range(500)))
        assert Counter(verdicts(answers)) == {Verdict.NEW: 500}
        assert len(statements_in(sent)) == 1
        assert DocumentHistory.objects.filter(status="processing").count() == 500


@pytest.mark.django_db(transaction=True)
class TestCheckManyWithoutAHistory:
    def test_decides_nothing(self):
        make_trigger()
        with history_locked(), pytest.raises(HistoryUnavailable):
            check_many("u-1", "u-2")
        assert DocumentHistory.objects.count() == 0

    def test_keeps_the_new_documents_if_it_fails_later(self):
        """The token of a new document would be lost with the call."""
        make_trigger()
        store_entry("processing", uuid="begun-1")
        store_entry("processing", uuid="begun-2")
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE document_outcome RENAME TO hidden")
        try:
            answers = check_many("begun-1", "new", "begun-2")
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE hidden RENAME TO document_outcome")
        assert verdicts(answers) == [HistoryUnavailable, Verdict.NEW, HistoryUnavailable]


@pytest.mark.django_db(transaction=True)
class TestBatchesAtTheSameTime:
    @pytest.mark.parametrize("rounds", [5, pytest.param(200, marks=pytest.mark.slow)])
    def test_make_each_document_new_once_and_never_deadlock(self, rounds):
        """Half of the callers give the documents in the opposite order, in a transaction of their own."""
        make_trigger()

        def caller(uuids: list[str]) -> list:
            with transaction.atomic():
                return check_many(*uuids)

        for number in range(rounds):
            uuids = [f"{number}-{place}" for place in range(40)]
            batches = in_threads(
                *[partial(caller, uuids)] * 4, *[partial(caller, uuids[::-1])] * 3, partial(one_by_one, uuids)
            )
            assert [batch for batch in batches if isinstance(batch, Exception)] == []
            news = Counter(
                answer.uuid for batch in batches for answer in batch if answer.verdict is Verdict.NEW
            )
            assert news == dict.fromkeys(uuids, 1)
        assert DocumentHistory.objects.filter(status="processing").count() == rounds * 40
        assert set(DocumentInDoubt.objects.values_list("deliveries", flat=True)) == {7}

    @pytest.mark.slow
    def test_complete_each_document_and_never_deadlock(self):
        make_trigger()
        for number in range(5):
            checked = check_many(*(f"{number}-{place}" for place in range(40)))
            asked = [{"trigger_id": "t-1", "uuid": answer.uuid, "token": answer.token} for answer in checked]
            batches = in_threads(
                *[partial(complete_many, asked)] * 4,
                *[partial(complete_many, asked[::-1])] * 4,
            )
            assert [one for batch in batches for one in batch if isinstance(one, Exception)] == []
        assert DocumentHistory.objects.filter(status="completed").count() == 200

    @pytest.mark.slow
    def test_pass_a_sweep(self):
        make_trigger()
        DocumentTrigger.objects.update(history_ttl_seconds=1)
        uuids = [f"u-{place}" for place in range(60)]
        for number in range(10):
            for uuid in uuids[number % 2 :: 2]:
                if not entries_of(uuid):
                    store_both(uuid=uuid, age="1 hour")
            answers = in_threads(
                partial(check_many, *uuids),
                partial(check_many, *uuids[::-1]),
                partial(sweep_entries, batch=7),
            )
            assert [answer for answer in answers if isinstance(answer, Exception)] == []


def one_by_one(uuids: list[str]) -> list[Checked]:
    return [check_document(trigger_id="t-1", uuid=uuid) for uuid in uuids]


class TestCompleteMany:
    def asked(self, *answers: Checked) -> list[Completion]:
        return [{"trigger_id": "t-1", "uuid": answer.uuid, "token": answer.token} for answer in answers]

    def test_writes_the_times_of_the_processing_entries(self):
        make_trigger()
        asked = self.asked(*check_many("u-2", "u-1"))
        # Entries with other times, of the same document of another trigger and of another document.
        store_entry("processing", trigger_id="t-2", uuid="u-1", age="3 hours")
        store_entry("processing", uuid="u-3", age="2 hours")
        store_entry("completed", uuid="u-2", age="1 hour")
        with CaptureQueriesContext(connection) as sent:
            completed = complete_many(asked)
        assert len(statements_in(sent)) == 1
        assert [one.uuid for one in completed] == ["u-2", "u-1"]
        for one in completed:
            assert entries_of(one.uuid) == {"processing": one.time, "completed": one.time}

    def test_answers_a_repeat_as_before(self):
        make_trigger()
        asked = self.asked(*check_many("u-1"))
        first = complete_many(asked * 3)
        assert complete_many(asked * 2) == first[:2]
        assert all(one == other for one, other in pairwise(first))

    def test_gives_an_error_only_to_the_document_that_has_it(self):
        make_trigger()
        first, second = check_many("u-1", "u-2")
        answers = complete_many(
            [
                {"trigger_id": "t-1", "uuid": "u-1", "token": second.token},
                {"trigger_id": "t-1", "uuid": "none", "token": "made-up"},
                *self.asked(second, first),
            ]
        )
        assert [type(answer) for answer in answers] == [
            LeaseLost,
            DocumentNotFound,
            Completed,
            Completed,
        ]

    def test_joins_an_entry_that_an_earlier_holder_wrote_too_late(self):
        make_trigger()
        store_entry("completed", uuid="u-1", age="3 days")
        began = store_entry("processing", uuid="u-1")
        (answer,) = complete_many(
            [{"trigger_id": "t-1", "uuid": "u-1", "token": token_for("t-1", "u-1", began)}]
        )
        assert answer.time == began
        assert entries_of("u-1") == {"processing": began, "completed": began}

    def test_refuses_a_token_whose_processing_was_started_again(self):
        make_trigger()
        (answer,) = check_many("u-1")
        DocumentHistory.objects.update(time=store_entry("processing", uuid="later", age="-1 second"))
        (refused,) = complete_many(self.asked(answer))
        assert isinstance(refused, LeaseLost)
        assert "completed" not in entries_of("u-1")
