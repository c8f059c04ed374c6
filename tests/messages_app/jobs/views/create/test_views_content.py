"""The pages of a new job, of the kinds of jobs and of the archive, with numbers that all differ."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.test import RequestFactory

from messages_app.access.passwords import PasswordForm
from messages_app.jobs.kinds.registry import ARCHIVE, spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.schedules.selectors import ArchiveRun
from messages_app.jobs.views.archive import MonthLine
from messages_app.jobs.views.create.estimate import figures_of
from messages_app.jobs.views.create.forms import NewJobForm, new_confirmation
from messages_app.jobs.views.create.kinds import KindChoice
from messages_app.messages.archive_by_month import Month
from messages_app.messages.archive_totals import TableTotal
from messages_app.messages.attachment import Feature, NotAttachedForThis
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def show(
    kind: str = "restart", *, block: str = "content", data: QueryDict | None = None, **values: object
) -> str:
    """Return the page of a new job, whose preview found 12 messages."""
    spec = spec_of(kind)
    form = NewJobForm(kind, data, user=AnonymousUser())
    figures = figures_of({"planned": 12, "is_exact": True}, kind=kind, filter={})
    context = {
        "spec": spec,
        "kind": spec.words,
        "total": False,
        "everything": "all messages",
        "narrowed": "",
        "words": [],
        "list_link": "/messages/?state=FAILED",
        "figures": figures,
        "seen": new_confirmation(kind=kind, filter={}, about={}, to_do=figures.to_do),
        "password": None,
        "archive_runs": [],
        "form": form,
        "job": None,
        "running": None,
        "other_total": "",
        "lacking": "",
        "is_counting": False,
    }
    return show_block("messages_app/jobs/new.html", block=block, **context | values)


def lines(kind: str = "restart", *, within: str | None = None, **values: object) -> list[str]:
    return outline_of(show(kind, **values), within=within)


class TestNewJob:
    def test_asks_to_show_values_before_payloads_are_corrected(self):
        assert lines("resend", within="Start the job") == [
            "(/jobs/new/)",
            "Payloads are masked for you. Show values before you correct them.",
        ]

    def test_shows_the_selection(self):
        words = [("State", "FAILED"), ("Service", "billing")]
        assert lines(within="Selection") == ["Restart all messages"]
        assert lines(within="Selection", words=words) == [
            "Restart State FAILEDService billing [View messages](/messages/?state=FAILED)"
        ]
        assert lines("archive", within="Selection", words=words, narrowed="older than 6 months") == [
            (
                "Archive State FAILEDService billingolder than 6 months [View "
                "messages](/messages/?state=FAILED)"
            ),
        ]
        skip = "[Skip to the options](#new-job)"
        assert outline_of(show(block="heading")) == ["Restart messages", skip]
        assert outline_of(show(block="heading", total=True)) == ["Restart messages from scratch", skip]

    def test_offers_to_restart_from_scratch(self):
        assert lines(within="Selection", other_total="total=true")[1:] == [
            "Completed calls are skipped. [Restart from scratch instead](?total=true)"
        ]
        assert lines(within="Selection", other_total="kind=restart", total=True)[1:] == [
            (
                "From scratch: records of completed calls are deleted, so every external call is made "
                "again. [Skip completed calls instead](?kind=restart)"
            ),
        ]

    def test_names_the_schedules_that_undo_it(self):
        runs = [
            ArchiveRun(schedule_id=21, at=NOON, months=6, filter_words=[("Service", "crm")], target="tables"),
            ArchiveRun(schedule_id=22, at=NOON, months=1, filter_words=[], target="Parquet files"),
        ]
        shown = lines("restore", archive_runs=runs)
        assert shown[1:4] == [
            (
                "Restored messages keep their age. The next scheduled run moves matching messages and "
                "their families back to the archive:"
            ),
            (
                "[Schedule 21](/schedules/), next 2026-11-02 12:00:00 UTC: Service crm, older than 6 "
                "months, to tables."
            ),
            (
                "[Schedule 22](/schedules/), next 2026-11-02 12:00:00 UTC: older than 1 month, to "
                "Parquet files."
            ),
        ]
        assert lines("restore")[1:2] == [
            (
                "Restored messages keep their age: the next archive job moves messages that are old "
                "enough, with their families, back to the archive. No archive schedule is enabled."
            ),
        ]
        assert lines("restart", archive_runs=runs)[1:2] == ["12 messages would be restarted"]

    def test_names_the_job_that_is_not_finished(self):
        assert (
            lines(running=61)[1]
            == "[Job 61](/jobs/61/) is not finished yet. Jobs of this kind cannot overlap."
        )

    def test_asks_to_correct_the_options(self):
        shown = lines(figures=None)
        assert shown[1] == "Correct the options, then select “Update preview” to see what would be restarted."
        assert shown[-3:] == ["Update preview", "Reason (recorded in the audit log)", "<reason>"]
        assert 'name="shown" value="' in show(figures=None)

    def test_asks_for_what_is_not_filled_in(self):
        shown = lines(figures=None, lacking="Enter the text to find.")
        assert shown[1] == (
            "Enter the text to find. Then select “Update preview” to see what would be restarted."
        )
        assert lines("resend", figures=None)[1] == "No preview while values are masked."

    def test_shows_its_form_with_errors(self):
        form = NewJobForm("restart", QueryDict("canary=many&rate=fast"), user=AnonymousUser())
        form.add_error(None, "The preview is old.")
        assert lines(form=form, within="Start the job") == [
            "(/jobs/new/)",
            "The preview is old.",
            (
                "3 fields need a correction: [Max rate (messages/s)](#id_rate), [Test batch "
                "size](#id_canary), [Reason (recorded in the audit log)](#id_reason)"
            ),
            "Max rate (messages/s)",
            "<rate=fast>",
            "Leave empty for no limit. You can change it while the job runs.",
            "Enter a number of messages per second.",
            "Test batch size",
            "<canary=many>",
            "The job waits for these messages to finish, then continues or stops.",
            "Enter a whole number.",
            "Stop if failures exceed (%)",
            "<stop_at_failure_rate>",
            "Update preview",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Restart 12 messages",
            (
                "The selection is frozen when the job starts. If it has over 10 % more messages than 12, "
                "the job waits for your confirmation. Messages whose state changes meanwhile are skipped "
                "and listed."
            ),
        ]

    def test_asks_for_the_password_for_many_messages(self):
        password = PasswordForm(QueryDict("password="), request=RequestFactory().get("/"))
        assert "Your password (required for this many messages)" in lines(password=password)
        assert "Your password (required for this many messages)" not in lines()

    def test_shows_a_count_that_is_not_finished(self):
        job = Job(job_id=62, state="planning", dry_run=True, watermark=NOON)
        shown = lines(job=job, is_counting=True)
        assert shown[1:4] == [
            "(get /jobs/62/counted/)",
            ("Exact count in progress in [job 62](/jobs/62/). Numbers are estimates until it finishes."),
            "12 messages would be restarted",
        ]
        assert lines(job=job, is_counting=False)[1:4] == [
            "(get /jobs/62/counted/)",
            "The exact count ended early; see [job 62](/jobs/62/). Numbers are estimates.",
            "12 messages would be restarted",
        ]
        job.state = "planned"
        assert lines(job=job)[1:5:3] == [
            "12 messages would be restarted",
            "Counted, 2026-11-02 12:00:00 UTC.",
        ]


class TestKinds:
    def test_are_links_unless_they_are_refused(self):
        of_lists = [
            KindChoice("Restart", "restart", "/messages/", True, ""),
            KindChoice("Cancel", "cancel", "/messages/", True, "It may not write."),
        ]
        others = [KindChoice("Group failures", "failures", "/jobs/new/?kind=group_failures", False, "")]
        parts = [("Of a list of messages", of_lists), ("Of all messages", others)]
        assert outline_of(show_block("messages_app/jobs/kinds.html", parts=parts)) == [
            "Of a list of messages",
            "Filter the list, then choose the job in “Actions”.",
            "[Restart](/messages/)",
            "Cancel: It may not write.",
            "Of all messages",
            "[Group failures](/jobs/new/?kind=group_failures)",
        ]
        assert outline_of(show_block("messages_app/jobs/kinds.html", parts=[])) == [
            "You cannot start jobs. Ask an administrator for a role that can."
        ]


@pytest.mark.django_db
class TestArchive:
    def show(self, **values: object) -> list[str]:
        context = {
            "spec": ARCHIVE,
            "form": NewJobForm(ARCHIVE.kind, user=AnonymousUser()),
            "totals": [
                TableTotal(table="archive_message", rows=31, stored_bytes=32_000),
                TableTotal(table="archive_request", rows=None, stored_bytes=33_000),
            ],
            "lines": [],
            "may_archive": True,
            "refused": None,
        }
        return outline_of(show_block("messages_app/jobs/archive.html", **context | values))

    def test_shows_its_tables_and_a_form(self):
        assert self.show() == [
            "The hub has no messages.",
            "Archive old messages",
            "(/jobs/new/)",
            "Older than",
            "<older_than_months=2> months",
            "Destination",
            "<to>",
            "<tables> * The archive tables",
            "<parquet> Parquet files",
            "Preview archive job",
            (
                "Final messages with their whole families · [How it works](/docs/howto/archive_a_month/) · "
                "[Schedules](/schedules/)"
            ),
            "In the archive",
            "[View archived messages](/messages/?archived=true)",
            "Archive tables with estimated rows and size",
            "Table | Rows | Size",
            "archive_message | 31 | 32 kB",
            "archive_request | unknown | 33 kB",
        ]

    def test_shows_each_month_with_what_can_be_done(self):
        times = {"first": datetime(2026, 5, 1, tzinfo=UTC), "after": datetime(2026, 6, 1, tzinfo=UTC)}
        line = MonthLine(
            month=Month(messages={"live": 30, "archived": 10, "parquet": 0}, stored_bytes=9_000, **times),
            shares=[],
            query="q=1",
            archive="kind=archive",
            restore="kind=restore",
        )
        shown = self.show(months=[line], unanalysed=["message"], may_move=True)
        assert shown[0] == (
            "These numbers are older than the last changes of message, which PostgreSQL analyses within "
            "minutes."
        )
        assert [words for words in shown if words.startswith(("Month |", "[2026-05]"))] == [
            "Month | Messages | Live | Archive tables | Parquet | Size in archive | Actions",
            "[2026-05](/messages/?q=1) | (svg viewbox=0 0 100 1) (rect width=100 height=1) | 30 | 10 | – "
            "| 9 kB | [Archive…](/jobs/new/?kind=archive) [Restore…](/jobs/new/?kind=restore)",
        ]
        for_readers = self.show(months=[line], may_move=False)
        assert "Month | Messages | Live | Archive tables | Parquet | Size in archive" in for_readers
        assert "Restore" not in "".join(for_readers)

    def test_says_who_may_archive(self):
        assert self.show(may_archive=False)[1:4] == [
            "Archive old messages",
            "Only administrators can start an archive job.",
            "In the archive",
        ]
        assert self.show(may_archive=False)[-1] == "archive_request | unknown | 33 kB"
        assert self.show(refused="No rights.")[2] == "No rights."
        assert self.show(refused="No rights.")[-1] == "archive_request | unknown | 33 kB"

    def test_shows_the_statements_that_grant_the_missing_rights(self):
        refused = NotAttachedForThis(Feature.ARCHIVE, "GRANT DELETE ON hub.message TO guest")
        lines = self.show(refused=refused)
        assert lines[3] == "GRANT DELETE ON hub.message TO guest;"
        assert "Preview archive job" not in lines
        markup = show_block(
            "messages_app/jobs/archive.html",
            spec=ARCHIVE,
            form=NewJobForm(ARCHIVE.kind, user=AnonymousUser()),
            may_archive=True,
        )
        assert '<input type="hidden" name="kind" value="archive">' in markup
