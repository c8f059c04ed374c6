"""The pages of schedules with numbers, times and words that all differ."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import override_settings

from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.schedules.selectors import Today
from messages_app.jobs.views.create.forms import NewJobForm
from messages_app.jobs.views.schedules import ScheduleRow, TimesForm
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def schedule(schedule_id: int, **columns: object) -> JobSchedule:
    values = {"cron": f"{schedule_id} 2 * * *", "zone": f"Europe/Z{schedule_id}"}
    who = {"created_by": f"user-{schedule_id}", "reason": f"reason {schedule_id}"}
    return JobSchedule(schedule_id=schedule_id, kind="restart", **values | who | columns)


def row(schedule: JobSchedule, **values: object) -> ScheduleRow:
    shown = {
        "name": "Restart",
        "filter_words": [("State", "FAILED"), ("Service", "crm")],
        "list_link": f"/messages/?schedule={schedule.pk}",
        "options": ["Max rate 2/s", "Test batch size 20"],
        "times": f"At 02:{schedule.pk}",
        "next_run": NOON + timedelta(minutes=schedule.pk),
        "has_made_job": False,
    }
    return ScheduleRow(schedule=schedule, **shown | values)


def show_list(*rows: ScheduleRow, may_change: bool = True) -> list[str]:
    return outline_of(show_block("messages_app/jobs/schedules/list.html", rows=rows, may_change=may_change))


class TestScheduleList:
    def test_shows_all_about_schedules(self):
        ran = {"last_run_at": NOON, "last_job": 91, "last_outcome": "Created job 91."}
        skipped = {"last_run_at": NOON + timedelta(hours=1), "last_outcome": "Skipped: job 92 runs."}
        rows = [
            row(schedule(21, **ran), has_made_job=True),
            row(schedule(22, **skipped, last_job=92), next_run=None, filter_words=[], options=[]),
            row(schedule(23, **skipped)),
            row(schedule(24)),
        ]
        assert show_list(*rows) == [
            "All schedules",
            "[New schedule](/jobs/schedules/new/)",
            "Schedules, newest first",
            "Schedule | Job | Matching messages | Times | Next run | Last run | By | Reason",
            (
                "[21](/jobs/schedules/21/) | Restart State FAILEDService crm[View "
                "messages](/messages/?schedule=21) Max rate 2/s · Test batch size 20 | (get "
                "/jobs/schedules/21/today/) [Count](/jobs/schedules/21/today/) | At 02:21 21 2 * * * "
                "Europe/Z21 | 2026-11-02 12:21:00 UTC | 2026-11-02 12:00:00 UTC Created [job "
                "91](/jobs/91/). | user-21 | reason 21"
            ),
            (
                "[22](/jobs/schedules/22/) | Restart | (get /jobs/schedules/22/today/) "
                "[Count](/jobs/schedules/22/today/) | At 02:22 22 2 * * * Europe/Z22 | off | 2026-11-02 "
                "13:00:00 UTC Skipped: job 92 runs. Latest: [job 92](/jobs/92/). | user-22 | reason 22"
            ),
            (
                "[23](/jobs/schedules/23/) | Restart State FAILEDService crm[View "
                "messages](/messages/?schedule=23) Max rate 2/s · Test batch size 20 | (get "
                "/jobs/schedules/23/today/) [Count](/jobs/schedules/23/today/) | At 02:23 23 2 * * * "
                "Europe/Z23 | 2026-11-02 12:23:00 UTC | 2026-11-02 13:00:00 UTC Skipped: job 92 runs. | "
                "user-23 | reason 23"
            ),
            (
                "[24](/jobs/schedules/24/) | Restart State FAILEDService crm[View "
                "messages](/messages/?schedule=24) Max rate 2/s · Test batch size 20 | (get "
                "/jobs/schedules/24/today/) [Count](/jobs/schedules/24/today/) | At 02:24 24 2 * * * "
                "Europe/Z24 | 2026-11-02 12:24:00 UTC | never | user-24 | reason 24"
            ),
            (
                "“Matching messages” is the number of messages a run would change now. A run is skipped "
                "while the previous job, or another archive job, is not finished. Runs missed while the "
                "console was down are caught up once."
            ),
        ]

    def test_links_no_form_for_users_who_may_not_change_them(self):
        lines = show_list(row(schedule(25)), may_change=False)
        assert lines[0] == "All schedules"
        assert lines[1] == "Schedules, newest first"
        assert lines[3].startswith("25 | Restart")

    def test_says_that_the_list_is_empty(self):
        assert show_list() == [
            "No schedules yet",
            "A schedule starts the same job regularly, such as archiving old messages every night.",
            "[New schedule](/jobs/schedules/new/)",
        ]
        assert show_list(may_change=False)[-1] == "Administrators can add schedules."


class TestScheduleToday:
    def show(self, today: Today) -> list[str]:
        page = "messages_app/jobs/schedules/today.html"
        return outline_of(show_block(page, schedule=schedule(26), today=today))

    def test_shows_a_number_or_why_it_is_missing(self):
        assert self.show(Today(messages=Estimate.from_count(2_345))) == [
            "Messages a run would change now: 2 345"
        ]
        assert self.show(Today(messages=None)) == ["Messages a run would change now: count timed out"]
        assert self.show(Today(messages=None, refusal="It needs a filter.")) == [
            "Messages a run would change now: Would be refused: It needs a filter."
        ]


@override_settings(HUB_TIME_ZONE="Europe/Prague")
def show_form(*, block: str = "content", times: QueryDict | None = None, **values: object) -> list[str]:
    context = {
        "kind": "restart",
        "words": spec_of("restart").words,
        "kinds": [("restart", "Restart"), ("archive", "Archive")],
        "form": NewJobForm("restart", user=AnonymousUser()),
        "times": TimesForm(times),
        "schedule": None,
        "filter_words": [],
    }
    return outline_of(show_block("messages_app/jobs/schedules/form.html", block=block, **context | values))


class TestScheduleForm:
    def test_offers_the_kinds_of_a_new_schedule(self):
        assert show_form(block="heading") == ["New schedule"]
        assert show_form() == [
            "(label: Kind of job) * [Restart](?kind=restart)[Archive](?kind=archive)",
            "Restart on a schedule",
            "Filter",
            "<filter>",
            (
                "The query of the list address, e.g. state=FAILED&service_name=billing. Times can be "
                "relative to each run: receive_timestamp_from=-7d, -24h, today."
            ),
            "Max rate (messages/s)",
            "<rate>",
            "Leave empty for no limit. You can change it while the job runs.",
            "Test batch size",
            "<canary>",
            "The job waits for these messages to finish, then continues or stops.",
            "Stop if failures exceed (%)",
            "<stop_at_failure_rate>",
            "Times (cron)",
            "<cron=30 2 * * *>",
            (
                "Minute, hour, day of month, month, day of week. 30 2 * * * is every night at 02:30; 0 6 * "
                "* mon-fri every working day at 06:00. If both days are given, both must match."
            ),
            "Time zone",
            "<zone=Europe/Prague>",
            "Such as Europe/Prague or UTC.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "<enabled> * Enabled",
            "Save schedule",
            (
                "Runs use the permissions you have at that time. The audit log shows the schedule and your "
                "name."
            ),
        ]

    def test_shows_a_schedule_that_can_be_removed(self):
        words = [("State", "FAILED"), ("Service", "crm")]
        assert show_form(block="heading", schedule=schedule(27)) == ["Schedule 27"]
        lines = show_form(schedule=schedule(27), filter_words=words)
        assert lines[:3] == [
            "Restart on a schedule",
            "State FAILEDService crm",
            "Filter",
        ]
        assert lines[-5:] == [
            (
                "Runs use the permissions you have at that time. The audit log shows the schedule and your "
                "name."
            ),
            "Remove schedule",
            "(/jobs/schedules/27/delete/)",
            "No further jobs are created. Existing jobs are kept.",
            "Remove schedule",
        ]
        assert "(label: Kind of job)" not in lines

    def test_shows_its_errors(self):
        form = NewJobForm("restart", QueryDict("rate=fast&reason="), user=AnonymousUser())
        form.add_error(None, "Too many schedules.")
        times = QueryDict("filter=state%3DODD&cron=&zone=Mars")
        assert show_form(form=form, times=times) == [
            "(label: Kind of job) * [Restart](?kind=restart)[Archive](?kind=archive)",
            "Restart on a schedule",
            "Too many schedules.",
            "Filter",
            "<filter> state=ODD",
            (
                "The query of the list address, e.g. state=FAILED&service_name=billing. Times can be "
                "relative to each run: receive_timestamp_from=-7d, -24h, today."
            ),
            "Max rate (messages/s)",
            "<rate=fast>",
            "Leave empty for no limit. You can change it while the job runs.",
            "Enter a number of messages per second.",
            "Test batch size",
            "<canary>",
            "The job waits for these messages to finish, then continues or stops.",
            "Stop if failures exceed (%)",
            "<stop_at_failure_rate>",
            "Times (cron)",
            "<cron>",
            (
                "Minute, hour, day of month, month, day of week. 30 2 * * * is every night at 02:30; 0 6 * "
                "* mon-fri every working day at 06:00. If both days are given, both must match."
            ),
            "Enter the times.",
            "Time zone",
            "<zone=Mars>",
            "Such as Europe/Prague or UTC.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "<enabled> Enabled",
            "Save schedule",
            (
                "Runs use the permissions you have at that time. The audit log shows the schedule and your "
                "name."
            ),
        ]
