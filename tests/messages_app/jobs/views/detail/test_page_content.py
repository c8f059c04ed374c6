"""The page of a job with numbers and times that all differ."""

from dataclasses import replace
from datetime import timedelta

import pytest

from messages_app.core.charts.bars import make_bars, make_shares
from messages_app.jobs.views.detail.page import Drift, OfferedFile
from messages_app.jobs.views.detail.status_charts import Canary
from messages_app.jobs.views.detail.status_message import Situation
from messages_app.jobs.views.detail.throughput import Pace
from tests.messages_app.jobs.views.detail.shown_jobs import AFTERWARDS, FILE, job, moment, show
from tests.support.page_outlines import outline_of

# The notes on the job are read.
pytestmark = pytest.mark.django_db


BARS = make_bars([("Too slow", 13, "?outcome=failed")])


class TestPage:
    def test_shows_all_numbers_of_a_running_job(self):
        shown = job(rate=2.5, attempt=4, cutoff=moment(4), options={"older_than_months": 6})
        assert outline_of(show(shown)) == [
            "Restart State FAILEDService billing [View messages](/messages/?state=FAILED)",
            "“the target is back” ana, 2026-11-02 12:01:00 UTC",
            "running",
            "(get /jobs/71/progress/?outcome=failed)",
            "{running} running",
            "Restarting.",
            "76 %",
            "(svg viewbox=0 0 100 1)",
            "{done} (rect x=0.0 width=41.0 height=1)",
            "{skipped} (rect x=41.0 width=22.0 height=1)",
            "{failed} (rect x=63.0 width=13.0 height=1)",
            "{done}",
            "Restarted : [41](?outcome=done#ledger)",
            "{skipped}",
            "Skipped : [22](?outcome=skipped#ledger)",
            "{failed}",
            "Failed : [13](?outcome=failed#ledger)",
            "Left: 24",
            "Selected: [100](?#ledger)",
            "Current rate: 3.5 messages/s, limit 2.5",
            "Time left: about 2 min",
            "(get /jobs/71/since/)",
            "Now in the hub",
            "[Show current message states](/jobs/71/since/)",
            "Why failed",
            "Why messages failed",
            "Reason | Share | Messages",
            (
                "Too slow | (svg viewbox=0 0 100 1) {failed} (rect width=100.0 height=1) | "
                "[13](?outcome=failed%3Atoo_slow)"
            ),
            "Why skipped",
            "Why messages were skipped",
            "Reason | Share | Messages",
            (
                "Another state | (svg viewbox=0 0 100 1) {skipped} (rect width=100.0 height=1) | "
                "[20](?outcome=a)"
            ),
            "Another job | (svg viewbox=0 0 100 1) {skipped} (rect width=10.0 height=1) | [2](?outcome=b)",
            "Orphan requests belong to no message: 31 selected, 32 restarted",
            "Orphan responses belong to no message: 33 selected",
            "(label: Parts of the job)",
            "* [Ledger](#ledger)",
            "[Settings](#settings)",
            "[Activity](#job-activity)",
            "[Notes](#notes)",
            "[All 51](?#ledger)",
            "* [Failed 52](?outcome=failed#ledger)",
            "[The database took too long Remove filter](?#ledger)",
            "(#ledger)",
            "Message id",
            "<msg_id=>",
            "Find",
            "[CSV](/jobs/71/ledger/?outcome=failed)",
            "(get /jobs/71/?outcome=failed)",
            "Messages of this job with their outcomes",
            "Message | Outcome | State | Current state | Service | Reason | Root message",
            (
                "[m-201](/messages/201/) | {done} done | FAILED →became PARTLY_FAILED | {OK} OK | billing "
                "201 | |"
            ),
            (
                "[m-202](/messages/202/) | {skipped} skipped | FAILED | {FAILED} FAILED archived E104 | "
                "shipping | Its state does not allow it | [m-203](/messages/203/)"
            ),
            "[m-204](/messages/204/) | pending | FAILED | deleted | | |",
            "(label: Pages) [Back](?cursor=p1)",
            "3 on this page",
            "[Next](?cursor=n1)",
            "Max rate: 2.5/s",
            "From scratch: yes",
            "Final before: 2026-11-02 12:04:00 UTC",
            "Selection frozen: 2026-11-02 12:02:00 UTC",
            "Started: 2026-11-02 12:03:00 UTC",
            "Finished: 2026-11-02 12:08:00 UTC",
            "took 5 min",
            "Attempt: 4",
            "Rows moved",
            "Rows, by table",
            "Table | Rows",
            "message | 91",
            "request | 92",
            "2026-11-02 12:31:00 UTC Pause job dora lunch",
            "2026-11-02 12:32:00 UTC Stop job {refused} refused emil",
            "Notes",
            "No notes yet.",
        ]

    def test_shows_a_job_that_has_ended_with_what_can_follow(self):
        values = {"is_live": False, "after": AFTERWARDS, "file": FILE, "has_current_status": False}
        lines = outline_of(show(job(kind="export", state="done"), **values))
        assert lines[2 : lines.index("(label: Parts of the job)")] == [
            "done",
            "{done} done",
            "Restarting.",
            "76 %",
            "(svg viewbox=0 0 100 1)",
            "{done} (rect x=0.0 width=41.0 height=1)",
            "{skipped} (rect x=41.0 width=22.0 height=1)",
            "{failed} (rect x=63.0 width=13.0 height=1)",
            "{done}",
            "Exported : [41](?outcome=done#ledger)",
            "{skipped}",
            "Skipped : [22](?outcome=skipped#ledger)",
            "{failed}",
            "Failed : [13](?outcome=failed#ledger)",
            "Selected: [100](?#ledger)",
            "Current rate: 3.5 messages/s",
            "Why failed",
            "Why messages failed",
            "Reason | Share | Messages",
            (
                "Too slow | (svg viewbox=0 0 100 1) {failed} (rect width=100.0 height=1) | "
                "[13](?outcome=failed%3Atoo_slow)"
            ),
            "Why skipped",
            "Why messages were skipped",
            "Reason | Share | Messages",
            (
                "Another state | (svg viewbox=0 0 100 1) {skipped} (rect width=100.0 height=1) | "
                "[20](?outcome=a)"
            ),
            "Another job | (svg viewbox=0 0 100 1) {skipped} (rect width=10.0 height=1) | [2](?outcome=b)",
            "Orphan requests belong to no message: 31 selected, 32 exported",
            "Orphan responses belong to no message: 33 selected",
            "[Download export-71.jsonl](/jobs/71/download/) 61 messages, 62 kB",
            "Kept until 2026-11-02 12:24:00 UTC. SHA-256 abc123",
            "{done} done [Job 81](/jobs/81/) undoes this job ben, 2026-11-02 12:22:00 UTC",
            "{failed} failed [Job 82](/jobs/82/) retries the failed messages cleo, 2026-11-02 12:23:00 UTC",
            "Retry failed messages",
            "(/jobs/71/retry/)",
            (
                "A new job with the same options retries the 13 failed messages in the state they have at "
                "that time."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Retry 13 messages",
            "Undo job",
            "(/jobs/71/undo/)",
            (
                "A new job reverts the 41 messages of this job. Messages changed since then are skipped "
                "and listed."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Undo job 71",
            "You can undo it until 2026-11-02 12:21:00 UTC.",
        ]

    def test_shows_a_preview(self):
        markup = show(
            job(dry_run=True, state="planned", kind="archive"),
            shares=[],
            percent=None,
            ledger=None,
            is_live=False,
            pace=Pace(rate=None, is_now=False, seconds_left=None, samples=""),
        )
        assert outline_of(markup) == [
            "Restart State FAILEDService billing [View messages](/messages/?state=FAILED)",
            "“the target is back” ana, 2026-11-02 12:01:00 UTC",
            "planned",
            "{planned} planned",
            "Restarting.",
            "24 of 100 messages would be archived, 22 would be skipped.",
            "[Continue with this preview](/jobs/new/?from=71)",
            "(label: Parts of the job)",
            "* [Settings](#settings)",
            "[Activity](#job-activity)",
            "[Notes](#notes)",
            "Max rate: 2.5/s",
            "From scratch: yes",
            "Selection frozen: 2026-11-02 12:02:00 UTC",
            "Started: 2026-11-02 12:03:00 UTC",
            "Finished: 2026-11-02 12:08:00 UTC",
            "took 5 min",
            "Rows that would move",
            "Rows, by table",
            "Table | Rows",
            "message | 91",
            "request | 92",
            "2026-11-02 12:31:00 UTC Pause job dora lunch",
            "2026-11-02 12:32:00 UTC Stop job {refused} refused emil",
            "Notes",
            "No notes yet.",
        ]

    def test_has_a_title_and_a_heading(self):
        assert outline_of(show(job(), block="heading")) == ["Job 71", "Restart"]
        assert outline_of(show(job(dry_run=True), block="heading")) == [
            "Job 71",
            "Restart · preview, changes nothing",
        ]


class TestFilter:
    @pytest.mark.parametrize(
        ("columns", "words", "shown"),
        [
            ({"undo_of": 61}, [], "Restart all messages that [job 61](/jobs/61/) changed"),
            ({"retry_of": 62}, [], "Restart all messages that failed in [job 62](/jobs/62/)"),
            ({"options": {"older_than_months": 6}}, [], "Restart final messages older than 6 months"),
            ({"options": {"older_than_months": 1}}, [], "Restart final messages older than 1 month"),
            ({}, [], "Restart all messages"),
            ({}, [("State", "OK")], "Restart State OK [View messages](/messages/?state=FAILED)"),
        ],
    )
    def test_is_shown_in_words(self, columns, words, shown):
        assert outline_of(show(job(**columns), words=words), within="Request")[0] == shown


class TestStatus:
    def test_shows_that_a_job_is_stalled_or_waits(self):
        stalled = Situation(
            sentence="No heartbeat.",
            next_step="Another worker takes over.",
            is_stalled=True,
            running=(64, 65),
            lasting=timedelta(minutes=5),
        )
        assert outline_of(show(job(), situation=stalled), within="Progress")[:4] == [
            "(get /jobs/71/progress/?outcome=failed)",
            "{stalled} stalled",
            "No heartbeat. [job 64](/jobs/64/), [job 65](/jobs/65/) 5 min so far",
            "Another worker takes over.",
        ]
        waiting = outline_of(show(job(lease_until=None), situation=stalled), within="Progress")
        assert waiting[1].startswith("{stalled} waiting")
        assert outline_of(show(job(), situation=stalled), within="job-status") == ["running: No heartbeat."]
        assert outline_of(show(job(state="paused", paused_for="canary")), within="job-status") == ["testing"]

    def test_shows_the_rate_and_the_time_left_only_if_they_are_known(self):
        def rate(shown: object = None, **values: object) -> list[str]:
            lines = outline_of(show(shown or job(), **values), within="Progress")
            return [line for line in lines if "rate" in line or "Time left" in line]

        assert rate() == ["Current rate: 3.5 messages/s", "Time left: about 2 min"]
        mean = Pace(rate=4.5, is_now=False, seconds_left=60.0, samples="")
        assert rate(job(rate=2.5), pace=mean) == [
            "Average rate: 4.5 messages/s, limit 2.5",
            "Time left: about 60 s",
        ]
        assert rate(is_live=False) == ["Current rate: 3.5 messages/s"]
        assert rate(job(state="stopping")) == ["Current rate: 3.5 messages/s"]
        assert rate(pace=replace(mean, rate=None, seconds_left=None)) == []

    def test_shows_the_test_batch(self):
        canary = Canary(
            size=30, ok=11, failed=12, open=7, shares=make_shares([("done", 11), ("failed", 12)], whole=30)
        )
        lines = outline_of(show(job(), canary=canary), within="Progress")
        assert lines[-5:] == [
            "Test batch of 30 messages",
            "(svg viewbox=0 0 100 1)",
            "{done} (rect x=0.0 width=36.67 height=1)",
            "{failed} (rect x=36.67 width=40.0 height=1)",
            "11 succeeded, 12 failed, 7 in progress.",
        ]
        ended = replace(canary, size=1, open=0)
        assert outline_of(show(job(), canary=ended), within="Progress")[-1] == "11 succeeded, 12 failed."
        assert "Test batch of 1 message" in outline_of(show(job(), canary=ended), within="Progress")

    def test_sends_back_its_samples(self):
        markup = show(job())
        assert 'name="samples" value="1.5:7"' in markup
        assert 'name="phase" value="running:"' in markup
        assert 'name="current_status" value="shown"' in markup
        assert 'name="current_status" value=""' in show(job(), has_current_status=False)
        assert 'aria-valuenow="76"' in markup


class TestNotes:
    def test_show_an_error_groups_and_a_drift(self):
        shown = job(error="no room", report={"grouped": 56}, state="failed")
        markup = show(
            shown, drift=Drift(confirmed=57, to_do=58), kept=[("Not old enough", 59), ("In Parquet", None)]
        )
        lines = outline_of(markup)
        assert lines[lines.index("no room") : lines.index("(label: Parts of the job)")] == [
            "no room",
            "56 failures added to [groups](/failures/). Failures already in a group did not change.",
            "57 messages were confirmed; 58 were selected.",
            "Not old enough: 59.",
            "In Parquet.",
        ]
        assert "is-error" in markup
        assert "is-warning" in show(job(error="slow"))
        assert "is-error" not in show(job(error="slow"))

    def test_count_one_as_one(self):
        shown = job(report={"grouped": 1})
        lines = outline_of(show(shown, drift=Drift(confirmed=1, to_do=1)))
        assert "1 failure added to [groups](/failures/). Failures already in a group did not change." in lines
        assert "1 message was confirmed; 1 was selected." in lines

    def test_are_empty_without_any(self):
        assert outline_of(show(job()), within="job-notes") == []


class TestReasons:
    def test_are_left_out_if_none_was_skipped_or_failed(self):
        none = {"failed": [], "skipped": []}
        assert outline_of(show(job(), reasons=none, orphans={}), within="job-outcomes") == []

    def test_show_only_what_there_is(self):
        one = {"failed": [], "skipped": []}
        failed = show(job(), reasons={**one, "failed": BARS})
        assert "<h2>Why failed</h2>" in failed
        assert "<h2>Why skipped</h2>" not in failed
        skipped = show(job(), reasons={**one, "skipped": BARS})
        assert "<h2>Why failed</h2>" not in skipped
        assert "<h2>Why skipped</h2>" in skipped


class TestFile:
    def test_says_why_it_is_missing(self):
        lines = outline_of(show(job(), file=OfferedFile(why_not="It has expired.")), within="File")
        assert lines == ["It has expired."]


class TestSettings:
    def test_omit_what_does_not_apply(self):
        def facts(**columns: object) -> list[str]:
            return outline_of(show(job(**columns), options=[]), within="job-facts")

        assert facts(finished_at=None) == [
            "Selection frozen: 2026-11-02 12:02:00 UTC",
            "Started: 2026-11-02 12:03:00 UTC",
            "Finished: –",
        ]
        assert facts(started_at=None, attempt=2) == [
            "Selection frozen: 2026-11-02 12:02:00 UTC",
            "Started: –",
            "Finished: 2026-11-02 12:08:00 UTC",
            "Attempt: 2",
        ]
        assert facts(cutoff=moment(4), finished_at=None)[0] == "Selection frozen: 2026-11-02 12:02:00 UTC"
        assert facts(options={"older_than_months": 3})[0] == "Selection frozen: 2026-11-02 12:02:00 UTC"


class TestRows:
    def test_are_called_after_what_happened_to_them(self):
        assert outline_of(show(job()), within="job-rows") == [
            "Rows moved",
            "Rows, by table",
            "Table | Rows",
            "message | 91",
            "request | 92",
        ]
        preview = outline_of(show(job(dry_run=True)), within="job-rows")
        assert preview[0] == "Rows that would move"
        assert outline_of(show(job(), rows=[]), within="job-rows")[0] == "*"
