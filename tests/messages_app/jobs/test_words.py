import pytest

from messages_app.jobs import words
from messages_app.jobs.models import Job
from messages_app.jobs.states import FailReason, JobKind, SkipReason


class TestReasonWords:
    @pytest.mark.parametrize("reason", [*SkipReason, *FailReason, words.NOT_OLD_ENOUGH])
    def test_has_a_sentence_for_every_reason(self, reason):
        assert words.reason_words(reason) not in {reason, reason.replace("_", " ").capitalize()}

    def test_leaves_a_constraints_name_as_it_is(self):
        assert words.reason_words("uq_x") == "uq_x"


class TestOutcomeWords:
    @pytest.mark.parametrize(
        ("outcome", "parted"),
        [(None, ("", "")), ("done", ("done", "")), ("failed:uq_x", ("failed", "uq_x"))],
    )
    def test_parts_kind_and_reason(self, outcome, parted):
        assert words.outcome_words(outcome) == parted


class TestTitleOf:
    @pytest.mark.parametrize("kind", JobKind)
    def test_knows_every_kind(self, kind):
        assert words.title_of(Job(kind=kind)) == words.KIND_WORDS[kind].verb

    def test_says_what_follows_from_another_job(self):
        assert words.title_of(Job(kind="cancel", undo_of=7)) == "Undo of job 7"
        assert words.title_of(Job(kind="restart", retry_of=7)) == "Restart again what failed"

    def test_says_that_a_restart_is_a_total_one(self):
        assert words.title_of(Job(kind="restart", options={"total": True})) == "Restart from scratch"


class TestFilterWords:
    def test_follows_the_order_of_the_list(self):
        filter = {"service_name": "billing", "state": ["FAILED", "CANCEL"], "archived": True}
        assert words.filter_words(filter) == [("State", "FAILED, CANCEL"), ("Service", "billing")]


class TestOptionWords:
    def test_leaves_out_what_says_nothing(self):
        options = {"total": True, "rate": None, "stop_at_failure_rate": 0.2, "older_than_months": 1}
        assert words.option_words(options) == [
            ("From scratch", "yes"),
            ("Stops when so many fail", "20%"),
            ("Older than", "1 month"),
        ]

    def test_keeps_a_zero(self):
        assert words.option_words({"stop_at_failure_rate": 0}) == [("Stops when so many fail", "0%")]
