import pytest
from django.db import connection

from messages_app.document_history.dry_run import dry_run
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import TriggerNotFound
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.document_history.states import RULES, Pair, Rule, Verdict
from tests.support.histories import make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


class TestDryRun:
    def test_agrees_with_the_following_check(self):
        make_trigger()
        store_both(uuid="u-2")
        store_entry("processing", uuid="u-3")
        for uuid in ("u-1", "u-2", "u-3", "x" * 97, ""):
            tried = dry_run(trigger_id="t-1", uuid=uuid, redelivery_count=1)
            checked = check_document(trigger_id="t-1", uuid=uuid, redelivery_count=1)
            assert (tried.rule, tried.verdict, tried.uuid) == (checked.rule, checked.verdict, checked.uuid)
            assert tried.steps[-1] == checked.message

    def test_writes_nothing_and_calls_no_resolver(self):
        resolvers.register_resolver("tests.never")(lambda asked: pytest.fail("called"))
        try:
            make_trigger(resolver="tests.never")
            store_entry("processing")
            sent = []

            def note(execute, sql, params, many, context):
                sent.append(sql)
                return execute(sql, params, many, context)

            with connection.execute_wrapper(note):
                tried = dry_run(trigger_id="t-1", uuid="u-1")
            assert (tried.rule, tried.verdict, tried.pair) == (Rule.ASK_RESOLVER, None, Pair.PROCESSING_ONLY)
            assert [sql for sql in sent if "INSERT" in sql or "UPDATE" in sql or "DELETE" in sql] == []
        finally:
            resolvers.unregister_resolver("tests.never")

    def test_returns_no_verdict_for_a_suspended_trigger(self):
        make_trigger()
        suspend_trigger(trigger_id="t-1", because="the ledger is down")
        tried = dry_run(trigger_id="t-1", uuid="u-1")
        assert (tried.is_suspended, tried.verdict) == (True, None)
        assert "the ledger is down" in tried.steps[0]

    def test_reports_volatile_documents(self):
        make_trigger()
        assert dry_run(trigger_id="t-1", uuid="u-1", is_guaranteed=False).verdict is Verdict.NEW

    @pytest.mark.parametrize(
        ("trigger", "asked", "rule", "pair", "steps"),
        [
            (
                {"resolver": "tests.any"},
                {"uuid": "open"},
                Rule.ASK_RESOLVER,
                Pair.PROCESSING_ONLY,
                [
                    "Redeliveries are not counted.",
                    "The UUID is open.",
                    "The history has a processing entry only.",
                    RULES[Rule.ASK_RESOLVER].words,
                ],
            ),
            (
                {},
                {"uuid": "both", "redelivery_count": 3},
                Rule.BOTH_ENTRIES,
                Pair.BOTH,
                ["The redelivery count is 3.", "The UUID is both.", RULES[Rule.BOTH_ENTRIES].words],
            ),
            (
                {},
                {"uuid": "both", "is_guaranteed": False},
                Rule.NOT_GUARANTEED,
                None,
                [RULES[Rule.NOT_GUARANTEED].words],
            ),
            (
                {"use_history": False},
                {"uuid": "both", "redelivery_count": 0},
                Rule.FIRST_DELIVERY,
                None,
                [
                    "The redelivery count is 0.",
                    "The UUID is both.",
                    "The history is not checked.",
                    RULES[Rule.FIRST_DELIVERY].words,
                ],
            ),
        ],
    )
    def test_has_the_entries_and_each_step(self, trigger, asked, rule, pair, steps):
        make_trigger(**trigger)
        make_trigger("t-2")
        store_both(uuid="both")
        store_entry("processing", uuid="open")
        store_both(uuid="open", trigger_id="t-2")
        tried = dry_run(trigger_id="t-1", **asked)
        assert (tried.rule, tried.pair, tried.steps) == (rule, pair, steps)

    def test_rejects_any_other_trigger(self):
        with pytest.raises(TriggerNotFound):
            dry_run(trigger_id="t-9", uuid="u-1")
