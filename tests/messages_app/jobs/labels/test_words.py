import pytest

from messages_app.jobs import labels
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.shared.job_states import FailReason, JobKind, SkipReason


class TestReasonWords:
    @pytest.mark.parametrize("reason", [*SkipReason, *FailReason, labels.NOT_OLD_ENOUGH, labels.IN_PARQUET])
    def test_has_a_sentence_for_every_reason(self, reason):
        assert labels.reason_words(reason) not in {reason, reason.replace("_", " ").capitalize()}

    def test_keeps_the_name_of_a_constraint(self):
        assert labels.reason_words("uq_x") == "uq_x"


class TestOutcomeWords:
    @pytest.mark.parametrize(
        ("outcome", "parted"),
        [(None, ("", "")), ("done", ("done", "")), ("failed:uq_x", ("failed", "uq_x"))],
    )
    def test_separates_kind_and_reason(self, outcome, parted):
        assert labels.outcome_words(outcome) == parted


class TestWordsOf:
    @pytest.mark.parametrize(
        ("job", "done"),
        [
            (Job(kind="cancel"), "cancelled"),
            (Job(kind="cancel", undo_of=7), "reverted"),
            (Job(kind="restore", undo_of=7), "restored"),
            (Job(kind="cancel", retry_of=7), "cancelled"),
        ],
    )
    def test_name_what_a_job_does_to_a_message(self, job, done):
        assert labels.words_of(job).done == done


class TestLinkOfJob:
    @pytest.mark.parametrize(
        ("job", "filter", "link"),
        [
            (Job(kind="archive"), {"state": "OK"}, "/messages/?state=OK&archived=any"),
            (Job(kind="restore"), {"msg_id": "7", "archived": "true"}, "/messages/?msg_id=7&archived=any"),
            (Job(kind="archive", dry_run=True), {"state": "OK"}, "/messages/?state=OK"),
            (Job(kind="restart"), {"state": "OK"}, "/messages/?state=OK"),
            (Job(kind="archive_history"), {"muted": "false"}, "/message-store/messages/?muted=false"),
        ],
    )
    def test_leads_to_messages_wherever_the_job_has_moved_them(self, job, filter, link):
        assert labels.link_of_job(job, filter) == link


class TestTitleOf:
    @pytest.mark.parametrize("kind", JobKind)
    def test_names_every_kind(self, kind):
        words = spec_of(kind).words
        assert labels.title_of(Job(kind=kind)) == (words.name or words.verb)
        assert labels.title_of(Job(kind="group_failures")) == "Group failures"

    def test_shows_the_job_that_it_follows_from(self):
        assert labels.title_of(Job(kind="cancel", undo_of=7)) == "Undo job 7"
        assert labels.title_of(Job(kind="restart", retry_of=7)) == "Restart failed messages again"

    def test_shows_that_a_restart_is_total(self):
        assert labels.title_of(Job(kind="restart", options={"total": True})) == "Restart from scratch"


class TestFilterWords:
    def test_name_flags_and_places(self):
        assert labels.filter_words("reprocess", {"muted": "false"}) == [("Muted", "no")]
        assert labels.filter_words("index_keys", {"archived": "any"}) == [("Messages", "live and archived")]
        assert labels.filter_words("restore", {"archived": "true"}) == []

    def test_follows_the_order_of_the_list(self):
        filter = {"service_name": "billing", "state": ["FAILED", "CANCEL"], "archived": True}
        assert labels.filter_words("restart", filter) == [("State", "FAILED, CANCEL"), ("Service", "billing")]

    @pytest.mark.parametrize(
        ("filter", "said"),
        [
            ({"receive_timestamp_from": "-7d"}, "in the last 7 d"),
            ({"receive_timestamp_to": "-24h"}, "until 24 h ago"),
            ({"receive_timestamp_from": "-7d", "receive_timestamp_to": "-1d"}, "from 7 d ago to 1 d ago"),
        ],
    )
    def test_describes_a_relative_range(self, filter, said):
        assert labels.filter_words("restart", filter | {"state": "OK"}) == [
            ("State", "OK"),
            ("Received", said),
        ]

    def test_counts_ids_if_there_are_many(self):
        ids = ",".join(map(str, range(1, 51)))
        assert labels.filter_words("restart", {"msg_id": ids}) == [
            ("Message id", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 40 more")
        ]
        assert labels.filter_words("restart", {"msg_id": [5, 6]}) == [("Message id", "5, 6")]

    def test_does_not_change_exact_times(self):
        filter = {"receive_timestamp_from": "2026-11-01T00:00:00+00:00"}
        assert labels.filter_words("restart", filter)[0][1] == "2026-11-01T00:00:00+00:00"


class TestKeptWords:
    def test_shows_why_and_how_many(self):
        report = {"kept": {"in_parquet": 3, "not_old_enough": 0}}
        [(said, count)] = labels.kept_words(report)
        assert ("not part of this export" in said, count) == (True, 3)
        assert labels.kept_words({"kept": {"in_parquet": None}})[0][1] is None
        assert labels.kept_words({}) == []


class TestOptionWords:
    def test_omits_empty_values(self):
        options = {"total": True, "rate": None, "stop_at_failure_rate": 0.2, "odd": "x"}
        assert labels.option_words("restart", options) == [
            ("From scratch", "yes"),
            ("Stop if failures exceed", "20 %"),
            ("odd", "x"),
        ]
        assert labels.option_words("archive", {"older_than_months": 1}) == [("Older than", "1 month")]

    def test_keeps_a_zero(self):
        assert labels.option_words("restart", {"stop_at_failure_rate": 0}) == [
            ("Stop if failures exceed", "0 %")
        ]
