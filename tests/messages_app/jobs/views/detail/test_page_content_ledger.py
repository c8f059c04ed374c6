"""The ledger on the page of a job, and the jobs that can follow it."""

from dataclasses import replace

import pytest

from messages_app.core.pagination.paginator import Page
from messages_app.jobs.services.retry_undo import Deadline
from messages_app.jobs.views.detail.page import Afterwards
from tests.messages_app.jobs.views.detail.shown_jobs import AFTERWARDS, LEDGER, job, moment, row, show
from tests.support.page_outlines import outline_of

# The notes on the job are read.
pytestmark = pytest.mark.django_db


class TestLedger:
    def test_shows_one_message_and_a_message_of_another_job(self):
        found = replace(LEDGER, rows=[row(201)], msg_id=201, outcome=None, page=None)
        assert outline_of(show(job(), ledger=found), within="ledger") == [
            "[All 51](?#ledger)",
            "* [Failed 52](?outcome=failed#ledger)",
            "(#ledger)",
            "Message id",
            "<msg_id=201>",
            "Find",
            "[CSV](/jobs/71/ledger/?outcome=failed)",
            "(get /jobs/71/?outcome=failed)",
            "Messages of this job with their outcomes",
            "Message | Outcome | State | Current state | Service",
            "[m-201](/messages/201/) | {done} done | FAILED →became PARTLY_FAILED | {OK} OK | billing 201",
        ]
        lost = replace(found, rows=[], msg_id=777)
        assert outline_of(show(job(), ledger=lost), within="ledger-rows") == [
            "Message 777 is not part of this job. [Show all](?#ledger)"
        ]

    @pytest.mark.parametrize(
        ("outcome", "is_live", "words"),
        [
            ("failed", True, "None with this outcome so far."),
            ("failed", False, "None with this outcome."),
            (None, True, "None yet."),
            (None, False, "None."),
        ],
    )
    def test_says_that_it_is_empty(self, outcome, is_live, words):
        empty = replace(LEDGER, rows=[], outcome=outcome)
        assert outline_of(show(job(), ledger=empty, is_live=is_live), within="ledger-rows") == [words]

    def test_says_that_only_a_part_was_searched(self):
        page = Page(rows=[], next_cursor="n1", previous_cursor=None, looked_until=(5, 6))
        part = replace(LEDGER, rows=[], outcome=None, page=page)
        assert outline_of(show(job(), ledger=part), within="ledger-rows") == [
            "None in the part that was searched."
        ]
        assert outline_of(show(job(), ledger=part), within="ledger-pages") == [
            "Only part of the ledger was searched. Select Next to continue.",
            "(label: Pages) Back [Next](?cursor=n1)",
        ]
        back = replace(part, page=replace(page, next_cursor=None, previous_cursor="p1"))
        assert outline_of(show(job(), ledger=back), within="ledger-pages") == [
            "Only part of the ledger was searched. Select Back to continue.",
            "(label: Pages) [Back](?cursor=p1) Next",
        ]
        whole = replace(LEDGER, page=replace(page, next_cursor=None, looked_until=None))
        assert outline_of(show(job(), ledger=whole), within="ledger-pages") == []

    def test_offers_no_file_before_a_message_was_selected(self):
        none = {"planned": 0, "done": 0, "skipped": 0, "failed": 0}
        assert "/jobs/71/ledger/" in show(job(), **none)
        assert "/jobs/71/ledger/" not in show(job(), is_live=False, **none)

    def test_is_hidden_if_its_filter_searches_in_payloads(self):
        lines = outline_of(show(job(), ledger=None), within="ledger")
        assert lines == [
            (
                "The messages of this job are hidden, because its filter searches in payloads. They are "
                "shown to users with view_payload."
            ),
        ]


class TestAfterwards:
    def test_shows_that_the_time_to_undo_is_over(self):
        over = replace(AFTERWARDS, undo=Deadline(until=moment(21), is_over=True), may_retry=False)
        assert outline_of(show(job(), after=over), within="Retry and undo")[-1:] == [
            "The time to undo it ended 2026-11-02 12:21:00 UTC."
        ]
        assert "Undo job" not in show(job(), after=over)
        assert "Retry failed messages" not in show(job(), after=over)

    def test_is_left_out_if_nothing_can_follow(self):
        nothing = Afterwards(undo=None, may_retry=False, undone_by=[], retried_by=[])
        assert "afterwards" not in show(job(), after=nothing)
        for one in ("undo", "may_retry", "undone_by", "retried_by"):
            assert "afterwards" in show(job(), after=replace(nothing, **{one: getattr(AFTERWARDS, one)}))

    def test_offers_nothing_to_users_who_may_not_steer(self):
        lines = outline_of(show(job(), after=AFTERWARDS, may_steer=False), within="Retry and undo")
        assert lines == [
            "{done} done [Job 81](/jobs/81/) undoes this job ben, 2026-11-02 12:22:00 UTC",
            "{failed} failed [Job 82](/jobs/82/) retries the failed messages cleo, 2026-11-02 12:23:00 UTC",
        ]
