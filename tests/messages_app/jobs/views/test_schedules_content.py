"""The pages of schedules with numbers, times and words that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.jobs.models import JobSchedule
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.schedules.selectors import Today
from messages_app.jobs.views.schedules import RunDot, ScheduleRow
from tests.support.page_outlines import outline_of, show_block

HEAD = "Job | When | Next run | Last runs | Now"
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def schedule(schedule_id: int, **columns: object) -> JobSchedule:
    values = {"cron": f"{schedule_id} 2 * * *", "zone": f"Europe/Z{schedule_id}"}
    who = {"created_by": f"user-{schedule_id}", "reason": f"reason {schedule_id}"}
    return JobSchedule(schedule_id=schedule_id, kind="restart", **values | who | columns)


def row(schedule: JobSchedule, **values: object) -> ScheduleRow:
    shown = {
        "name": "Restart messages: State FAILED, Service crm",
        "list_link": f"/messages/?schedule={schedule.pk}",
        "options": ["Max rate 2/s", "Test batch size 20"],
        "times": f"Every day at 02:{schedule.pk}",
        "next_run": NOON + timedelta(minutes=schedule.pk),
        "runs": [],
        "fault": "",
    }
    return ScheduleRow(schedule=schedule, **shown | values)


def show_list(*rows: ScheduleRow, may_change: bool = True) -> list[str]:
    return outline_of(show_block("messages_app/jobs/schedules/list.html", rows=rows, may_change=may_change))


class TestScheduleList:
    def test_shows_all_about_schedules(self):
        runs = [
            RunDot(at=NOON, state="skipped", job=None),
            RunDot(at=NOON, state="failed", job=91),
        ]
        rows = [
            row(schedule(21), runs=runs),
            row(
                schedule(22, last_job=92),
                next_run=None,
                name="Restart",
                list_link="",
                options=[],
                fault="Skipped: x.",
            ),
        ]
        shown = show_list(*rows)
        assert "[New schedule](/schedules/new/)" in shown
        assert shown[shown.index("Schedules, newest first") :] == [
            "Schedules, newest first",
            f"{HEAD} | Actions",
            (
                "(title: Restart messages: State FAILED, Service crm) "
                "[Restart messages: State FAILED, Service crm](/schedules/21/) "
                "[Messages now](/messages/?schedule=21) · "
                "Max rate 2/s · Test batch size 20 · reason 21 · user-21 | Every day at 02:21 "
                "Europe/Z21 | @2026-11-02T12:21:00Z | {skipped} (title: skipped) skipped {failed} "
                "(title: Job 91: failed) [Job 91: failed](/jobs/91/) [job 91](/jobs/91/) failed | "
                "(get /schedules/21/today/) "
                "[Count](/schedules/21/today/) | (/schedules/21/pause/) [Run now… schedule "
                "21](/schedules/21/run/) Pause schedule 21"
            ),
            (
                "(title: Restart) [Restart](/schedules/22/) reason 22 · user-22 | Every day at 02:22 "
                "Europe/Z22 | paused | [job 92](/jobs/92/) Skipped: x. | (get /schedules/22/today/) "
                "[Count](/schedules/22/today/) | (/schedules/22/resume/) [Run now… schedule "
                "22](/schedules/22/run/) Resume schedule 22"
            ),
        ]

    def test_links_no_form_for_users_who_may_not_change_them(self):
        *_, order, head, line = show_list(row(schedule(25)), may_change=False)
        assert (order, head) == ("Schedules, newest first", HEAD)
        assert line.startswith(
            "Restart messages: State FAILED, Service crm [Messages now](/messages/?schedule=25)"
        )
        assert "/schedules/25/run/" not in line

    def test_says_that_the_list_is_empty(self):
        assert show_list() == [
            "No schedules yet",
            "A schedule starts the same job regularly, such as archiving old messages every night.",
            "[New schedule](/schedules/new/)",
        ]
        assert show_list(may_change=False)[-1] == "Administrators can add schedules."


class TestScheduleToday:
    def show(self, today: Today) -> list[str]:
        page = "messages_app/jobs/schedules/today.html"
        return outline_of(show_block(page, schedule=schedule(26), today=today))

    def test_shows_a_number_or_why_it_is_missing(self):
        assert self.show(Today(messages=Estimate.from_count(2_345))) == [
            "A run now would change: 2 345 messages"
        ]
        assert self.show(Today(messages=None)) == ["A run now would change: count timed out"]
        assert self.show(Today(messages=None, refusal="It needs a filter.")) == [
            "A run now would change: Would be refused: It needs a filter."
        ]
