"""The lists of jobs with values that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.core.charts.bars import make_shares
from messages_app.core.pagination.paginator import Page
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.stores.store import Item
from messages_app.jobs.views.item_jobs import JobOfItem
from messages_app.jobs.views.lists import Line, Link
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def job(job_id: int, **columns: object) -> Job:
    return Job(
        **{
            "job_id": job_id,
            "kind": "restart",
            "state": "done",
            "reason": f"reason {job_id}",
            "created_by": f"user-{job_id}",
            "created_at": moment(job_id % 60),
            "started_at": moment(1),
            "finished_at": moment(job_id % 60 + 2),
        }
        | columns
    )


def line(job: Job, *, planned: int = 0, done: int = 0, skipped: int = 0, failed: int = 0) -> Line:
    counts = {"planned": planned, "done": done, "skipped": skipped, "failed": failed}
    parts = [(name, count) for name, count in counts.items() if name != "planned" and count]
    return Line(
        job=job,
        progress=JobProgress(job=job, outcomes=[], orphans={}, **counts),
        title=f"Title {job.pk}",
        icon="restart",
        words=[("State", f"state-{job.pk}")],
        shares=[] if job.dry_run else make_shares(parts, whole=planned or 1),
    )


LINES = [
    line(job(71), planned=100, done=41, skipped=22, failed=13),
    line(job(72, state="paused", paused_for="canary"), planned=31, done=31),
    line(job(73, dry_run=True, state="planned"), planned=50, skipped=9),
    line(job(74, state="planned", paused_for="second_person")),
    line(job(75, kind="group_failures", report={"grouped": 56})),
]


def show(lines: list[Line], **values: object) -> list[str]:
    context = {
        "page": Page(rows=[], next_cursor="n1", previous_cursor="p1"),
        "lines": lines,
        "kinds": [("", "Any kind"), ("restart", "Restart")],
        "kind": "restart",
        "people": [
            Link(text="Everyone", query="?", is_on=True),
            Link(text="Mine", query="?mine=true", is_on=False),
        ],
        "states": [("", "Any state"), ("done", "done"), ("failed", "failed")],
        "state": "failed",
        "kept": [("mine", "true")],
        "is_narrowed": True,
    }
    template, values = "messages_app/jobs/list.html", context | values
    return outline_of(show_block(template, block="heading", **values)) + outline_of(
        show_block(template, **values)
    )


class TestJobList:
    def test_shows_all_numbers_of_its_jobs(self):
        assert show(LINES) == [
            "Jobs",
            "* [Everyone](?)",
            "[Mine](?mine=true)",
            "Kind",
            "<kind>",
            "<> Any kind",
            "<restart> * Restart",
            "State",
            "<state>",
            "<> Any state",
            "<done> Done",
            "<failed> * Failed",
            "Show",
            "Jobs, newest first",
            "Job | State | Selection | Messages | Outcome | Created | Duration | Created by, reason",
            (
                "[71](/jobs/71/) Title 71 | {done} done | State state-71 | 100 | (svg viewbox=0 0 100 1) "
                "{done} (rect x=0.0 width=41.0 height=1) {skipped} (rect x=41.0 width=22.0 height=1) "
                "{failed} (rect x=63.0 width=13.0 height=1) 41 done · 22 skipped · {failed} [13 "
                "failed](/jobs/71/?outcome=failed#ledger) · 24 left | "
                "@2026-11-02T12:11:00Z | 12 min | user-71 reason 71"
            ),
            (
                "[72](/jobs/72/) Title 72 | {running} (title: Waiting for the test batch to finish) testing "
                "| State state-72 | 31 | (svg viewbox=0 0 100 1) {done} (rect x=0.0 width=100.0 height=1) "
                "31 done | @2026-11-02T12:12:00Z | 13 min | user-72 reason 72"
            ),
            (
                "[73](/jobs/73/) Title 73 preview | {planned} planned | State state-73 | 50 | 41 possible "
                "· 9 not | @2026-11-02T12:13:00Z | 14 min | user-73 reason 73"
            ),
            (
                "[74](/jobs/74/) Title 74 needs approval | {planned} planned | State state-74 | 0 | | "
                "@2026-11-02T12:14:00Z | 15 min | user-74 reason 74"
            ),
            (
                "[75](/jobs/75/) Title 75 | {done} done | State state-75 | 0 | 56 failures grouped | "
                "@2026-11-02T12:15:00Z | 16 min | user-75 reason 75"
            ),
            "(label: Pages) [Newer](?cursor=p1) [Older](?cursor=n1)",
        ]

    def test_shows_nothing_that_is_zero(self):
        none = [line(job(76, dry_run=True), planned=5), line(job(77, dry_run=True)), line(job(78), planned=6)]
        assert [words.split(" | ")[4] for words in show(none) if words.startswith("[7")] == [
            "5 possible",
            "| @2026-11-02T12:17:00Z",
            "| @2026-11-02T12:18:00Z",
        ]

    def test_says_that_there_are_no_jobs(self):
        part = Page(rows=[], next_cursor=None, previous_cursor=None, looked_until=(5, 5))
        assert show([], page=part)[10:] == [
            "<done> Done",
            "<failed> * Failed",
            "Show",
            "No jobs found so far",
            "[Show all jobs](/jobs/)",
            "Only some of the jobs were searched. Select Older to continue.",
        ]
        assert show([], page=Page(rows=[], next_cursor=None, previous_cursor=None))[10:] == [
            "<done> Done",
            "<failed> * Failed",
            "Show",
            "No jobs found",
            "[Show all jobs](/jobs/)",
        ]
        whole = Page(rows=[], next_cursor=None, previous_cursor=None)
        assert show([], page=whole, is_narrowed=False)[10:] == [
            "<done> Done",
            "<failed> * Failed",
            "Show",
            "No jobs yet",
            (
                "A job processes many messages: it restarts, cancels or exports all messages of a filter, "
                "or archives old ones. Start one from “Actions” in the message list."
            ),
            "[Go to Messages](/messages/) [Go to Archive](/archive/)",
        ]

    def test_keeps_whose_jobs_it_shows_with_the_other_filters(self):
        context = {"kinds": [], "states": [], "kept": [("mine", "true")], "lines": []}
        markup = show_block(
            "messages_app/jobs/list.html",
            page=Page(rows=[], next_cursor=None, previous_cursor=None),
            **context,
        )
        assert '<input type="hidden" name="mine" value="true">' in markup


class TestJobsOfMessage:
    def test_show_what_each_did_with_it(self):
        jobs = [
            JobOfItem(job=job(81), title="Restart", old_state="FAILED", new_state="OK", kind="done", why=""),
            JobOfItem(
                job=job(82), title="Cancel", old_state="NEW", new_state=None, kind="skipped", why="Too late"
            ),
            JobOfItem(job=job(83), title="Archive", old_state="CANCEL", new_state=None, kind="", why=""),
        ]
        item = Item(item_id=91, name="m-91", address="/messages/91/")
        page = "messages_app/jobs/of_message.html"
        assert outline_of(show_block(page, block="heading", item=item)) == [
            "Jobs",
            "[Message m-91](/messages/91/)",
        ]
        assert outline_of(show_block(page, item=item, jobs=jobs, is_cut=True)) == [
            "{done} done [Job 81](/jobs/81/) Restart FAILED → OK user-81, 2026-11-02 12:21:00 UTC",
            "{skipped} skipped [Job 82](/jobs/82/) Cancel NEW Too late user-82, 2026-11-02 12:22:00 UTC",
            "pending [Job 83](/jobs/83/) Archive CANCEL user-83, 2026-11-02 12:23:00 UTC",
            "Only the newest are shown.",
        ]
        assert outline_of(show_block(page, item=item, jobs=jobs[:1], is_cut=False))[1:] == []
        assert outline_of(show_block(page, item=item, jobs=[], is_cut=False)) == ["Not part of any job."]


class TestJobsOfGroup:
    def test_show_who_repaired_its_messages(self):
        repairs = [(job(84), "Restart"), (job(85, state="paused", paused_for="canary", reason=""), "Cancel")]
        page = "messages_app/jobs/of_group.html"
        assert outline_of(show_block(page, block="heading", group_id=86)) == [
            "Jobs",
            "[Failure group 86](/failures/86/)",
        ]
        assert outline_of(show_block(page, group_id=86, repairs=repairs)) == [
            "{done} done [Job 84](/jobs/84/) Restart user-84, 2026-11-02 12:24:00 UTC reason 84",
            (
                "{running} (title: Waiting for the test batch to finish) testing [Job 85](/jobs/85/) "
                "Cancel user-85, 2026-11-02 12:25:00 UTC"
            ),
        ]
        assert outline_of(show_block(page, group_id=86, repairs=[])) == [
            "No jobs restarted or cancelled its newest messages."
        ]
