"""
The twenty-two hard cases of docs/contributing/spec/document_history.md, "Hard cases", through the services
and through the API.
"""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from messages_app.document_history.models import DocumentHistory, DocumentInDoubt, DocumentOutcome
from messages_app.document_history.services import resolvers
from tests.messages_app.document_history.callers import UNAVAILABLE, ByApi, ByServices
from tests.support.eventually import eventually
from tests.support.histories import (
    entries_of,
    history_locked,
    make_older,
    make_trigger,
    store_both,
    store_entry,
)
from tests.support.parameters import quick_first
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=quick_first([ByApi, ByServices]), ids=["api", "services"])
def hub(request, transactional_db) -> ByServices | ByApi:
    return request.param()


@pytest.fixture
def resolver() -> Iterator[Callable[[object], None]]:
    """Give a function that says what the resolver `tests.resolver` returns."""
    says = {}
    resolvers.register_resolver("tests.resolver")(lambda asked: says["answer"])
    yield lambda answer: says.update(answer=answer)
    resolvers.unregister_resolver("tests.resolver")


def verdict(answer: dict) -> tuple[str, str]:
    return answer["status"], answer["decided_by"]


class TestTheCaseOf:
    def test_1_one_uuid_at_several_nodes_at_the_same_time(self, hub):
        make_trigger()
        answers = in_threads(*[hub.check for _ in range(8)])
        found = sorted(answer["status"] for answer in answers)
        assert found == ["IN_DOUBT"] * 7 + ["NEW"]
        assert set(entries_of()) == {"processing"}

    def test_2_a_service_that_failed(self, hub):
        make_trigger()
        assert hub.complete(hub.check()["token"]) == "completed"
        assert verdict(hub.check(redelivery_count=1)) == ("DUPLICATE", "history")

    def test_3_a_crash_between_the_entries(self, hub, resolver):
        make_trigger()
        hub.check()
        assert verdict(hub.check(redelivery_count=1)) == ("IN_DOUBT", "history")
        hub.change_trigger(resolver="tests.resolver")
        resolver({"status": "DUPLICATE", "message": "It is in the ledger."})
        answer = hub.check(redelivery_count=2)
        assert verdict(answer) == ("DUPLICATE", "resolver")
        assert answer["message"] == "It is in the ledger."

    def test_4_only_a_completed_entry(self, hub):
        make_trigger()
        store_entry("completed")
        assert verdict(hub.check()) == ("DUPLICATE", "history")
        assert set(entries_of()) == {"completed"}

    def test_5_a_document_delivered_for_the_sixth_time_without_entries(self, hub):
        make_trigger()
        assert verdict(hub.check(redelivery_count=5)) == ("NEW", "history")

    def test_6_a_document_published_twice(self, hub):
        make_trigger()
        store_both()
        assert verdict(hub.check(redelivery_count=0)) == ("DUPLICATE", "history")

    def test_7_a_document_delivered_again_with_nothing_to_ask(self, hub):
        make_trigger(use_history=False)
        assert verdict(hub.check(redelivery_count=1, document={"a": 1})) == ("IN_DOUBT", "redelivery_count")
        assert DocumentInDoubt.objects.get().document == {"a": 1}

    def test_8_no_count_and_nothing_to_ask(self, hub):
        make_trigger(use_history=False)
        answer = hub.check(redelivery_count=-1)
        assert verdict(answer) == ("NEW", "redelivery_count")
        assert "token" not in answer or answer["token"] is None
        assert not DocumentHistory.objects.exists()

    def test_9_a_uuid_of_96_characters_and_one_of_97(self, hub):
        make_trigger()
        assert verdict(hub.check(uuid="x" * 96)) == ("NEW", "history")
        answer = hub.check(uuid="x" * 97)
        assert verdict(answer) == ("IN_DOUBT", "uuid")
        assert answer["uuid"] is None

    def test_10_a_track_id_too_long_before_a_short_event_id(self, hub):
        make_trigger()
        answer = hub.check(uuid="", track_id="t" * 97, event_id="e")
        assert verdict(answer) == ("IN_DOUBT", "uuid")
        assert not DocumentHistory.objects.exists()

    def test_11_a_uuid_too_long_that_the_resolver_calls_new(self, hub, resolver):
        make_trigger(resolver="tests.resolver")
        resolver({"status": "NEW"})
        answer = hub.check(uuid="x" * 97)
        assert verdict(answer) == ("NEW", "resolver")
        assert answer["recorded"] is False
        assert not DocumentHistory.objects.exists()

    def test_12_the_time_of_the_completed_entry(self, hub):
        make_trigger()
        hub.complete(hub.check()["token"])
        times = entries_of()
        assert times["processing"] == times["completed"]
        make_older("3 days")
        assert hub.sweep() == 2
        assert entries_of() == {}

    def test_13_a_sweep_between_the_entries(self, hub):
        make_trigger(history_ttl_seconds=1)
        token = hub.check()["token"]
        began = entries_of()["processing"]
        assert eventually(hub.sweep) == 1
        assert hub.complete(token) == "completed"
        assert entries_of() == {"completed": began}
        assert verdict(hub.check()) == ("DUPLICATE", "history")
        assert hub.sweep() == 1
        assert verdict(hub.check()) == ("NEW", "history")

    def test_14_two_triggers(self, hub):
        make_trigger("t-1")
        make_trigger("t-2")
        assert verdict(hub.check("t-1")) == ("NEW", "history")
        assert verdict(hub.check("t-2")) == ("NEW", "history")

    def test_15_clocks_that_differ(self, hub):
        make_trigger()
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            before = cursor.fetchone()[0]
            hub.check()
            cursor.execute("SELECT clock_timestamp()")
            after = cursor.fetchone()[0]
        assert before < entries_of()["processing"] < after

    def test_16_a_history_that_cannot_be_reached(self, hub):
        make_trigger()
        with history_locked():
            assert hub.check() == UNAVAILABLE
        assert not DocumentInDoubt.objects.exists()
        assert not DocumentOutcome.objects.exists()
        assert verdict(hub.check()) == ("NEW", "history")

    def test_17_the_same_without_waiting(self, hub, resolver, settings):
        settings.SUSPEND_AND_RETRY_ON_ERROR = False
        make_trigger()
        make_trigger("t-2", resolver="tests.resolver")
        make_trigger("t-3", on_retry_failure="suspend_and_retry_later")
        resolver({"status": "NEW"})
        with history_locked():
            answer = hub.check()
            assert verdict(answer) == ("IN_DOUBT", "history")
            assert "may be lost" in answer["message"]
            # No entry could be written, so no one may run it.
            assert hub.check("t-2")["status"] == "IN_DOUBT"
            assert hub.check("t-3") == UNAVAILABLE
        assert DocumentInDoubt.objects.filter(rule="history_unavailable").count() == 2

    @pytest.mark.parametrize(
        "says",
        [{"status": "In Doubt"}, {"status": None}, {"status": "new"}, {"status": "OK"}, {}, None, "NEW"],
    )
    def test_18_a_resolver_that_says_odd_things(self, hub, resolver, says):
        make_trigger(resolver="tests.resolver")
        store_entry("processing")
        resolver(says)
        assert verdict(hub.check()) == ("IN_DOUBT", "resolver")

    def test_19_a_resubmission(self, hub):
        make_trigger()
        old_token = hub.check()["token"]
        assert hub.check()["status"] == "IN_DOUBT"
        token = hub.resubmit()["token"]
        assert hub.complete(old_token) == "lease_lost"
        assert hub.complete(token) == "completed"
        assert verdict(hub.check()) == ("DUPLICATE", "history")
        assert not DocumentInDoubt.objects.filter(state="open").exists()

    def test_20_a_volatile_document(self, hub):
        make_trigger()
        assert hub.check(guaranteed=False, redelivery_count=3)["status"] == "NEW"
        assert hub.check(guaranteed=False)["status"] == "NEW"
        assert not DocumentHistory.objects.exists()
        assert not DocumentOutcome.objects.exists()

    def test_21_a_history_that_is_no_longer_used(self, hub):
        make_trigger()
        store_both(age="3 days")
        hub.change_trigger(use_history=False)
        assert verdict(hub.check(redelivery_count=0)) == ("NEW", "redelivery_count")
        assert hub.sweep() == 2

    def test_22_statistics_that_are_cleared(self, hub):
        make_trigger()
        store_both()
        hub.check()
        hub.clear_statistics()
        assert set(entries_of()) == {"processing", "completed"}
        assert verdict(hub.check()) == ("DUPLICATE", "history")


class TestSettling:
    def test_makes_later_copies_duplicates_and_keeps_the_holder_from_completing(self, hub):
        make_trigger()
        token = hub.check()["token"]
        hub.check()
        hub.settle()
        times = entries_of()
        assert times["processing"] == times["completed"]
        assert verdict(hub.check()) == ("DUPLICATE", "history")
        assert hub.complete(token) == "state_conflict"


class TestCompleting:
    def test_is_the_same_when_repeated(self, hub):
        make_trigger()
        token = hub.check()["token"]
        assert [hub.complete(token), hub.complete(token)] == ["completed", "completed"]

    def test_rejects_the_token_of_another_caller(self, hub):
        make_trigger()
        hub.check()
        other = hub.check(uuid="u-2")["token"]
        assert hub.complete(other) == "lease_lost"
        assert hub.complete("made up") == "lease_lost"
        assert hub.complete("made up", uuid="u-3") == "not_found"
        assert set(entries_of()) == {"processing"}
