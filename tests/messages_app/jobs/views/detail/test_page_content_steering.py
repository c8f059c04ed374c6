"""The buttons and forms of a job's page, and the parts that its page fetches."""

import re
from dataclasses import replace

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory

from messages_app.access.passwords import PasswordForm
from messages_app.core.charts.bars import make_shares
from messages_app.core.reason_form import ReasonForm
from messages_app.jobs.outcomes import CurrentStatus, End
from messages_app.jobs.views.detail.forms import RateForm, ResumeForm
from messages_app.jobs.views.detail.status_charts import StatusChart
from tests.messages_app.jobs.views.detail.shown_jobs import AFTERWARDS, FORMS, context_of, job, show
from tests.support.page_outlines import outline_of, show_block

# The notes on the job are read.
pytestmark = pytest.mark.django_db


def buttons(**values: object) -> list[str]:
    """Return the lines of the steering part of a paused job's page."""
    markup = show(job(state="paused", paused_for="operator"), **values)
    lines = outline_of(markup, within="job-top")
    return lines[lines.index("Orphan responses belong to no message: 33 selected") + 1 :]


class TestSteering:
    def test_offers_what_the_user_may_do(self):
        assert buttons() == []
        assert buttons(may_pause=True) == ["(/jobs/71/pause/)", "Pause"]
        assert buttons(may_resume=True) == ["(/jobs/71/resume/)", "Resume"]
        assert buttons(may_resume=True, waits_for_test_batch=True) == [
            "(/jobs/71/resume/)",
            "Continue without waiting",
        ]
        assert buttons(may_decide=True) == [
            "(/jobs/71/approve/)",
            "Approve 24 messages",
            "Refuse",
            "(/jobs/71/refuse/)",
            "The job ends and none of its messages are changed.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Refuse job",
        ]
        assert buttons(may_stop=True) == [
            "Change rate",
            "(/jobs/71/rate/)",
            "Max rate (messages/s)",
            "<rate=2.5>",
            "Leave empty for no limit.",
            "Reason (optional)",
            "<reason>",
            "Change rate",
            "Stop job",
            "(/jobs/71/stop/)",
            "Messages already processed are not undone. Chunks in progress finish, then the job ends.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Stop job",
        ]
        assert buttons(may_resume=True, has_to_be_confirmed=True) == [
            "(/jobs/71/resume/)",
            "Type 24 to continue",
            "<confirmed>",
            "Confirm 24 messages",
        ]

    def test_does_not_ask_users_to_confirm_who_may_not_resume(self):
        assert buttons(may_stop=True, has_to_be_confirmed=True)[0] == "Change rate"
        assert buttons(may_stop=True, waits_for_test_batch=True)[0] == "Change rate"

    def test_counts_one_message_as_one(self):
        one = {"planned": 2, "done": 1, "skipped": 0, "failed": 0}
        assert "Approve 1 message" in buttons(may_decide=True, **one)
        assert "Confirm 1 message" in buttons(may_resume=True, has_to_be_confirmed=True, **one)

    def test_offers_no_rate_for_a_preview(self):
        markup = show(job(dry_run=True), may_stop=True)
        assert "Stop job" in markup
        assert "Change rate" not in markup

    def test_opens_the_form_that_was_refused(self):
        for tried, may in (("refuse", "may_decide"), ("rate", "may_stop"), ("stop", "may_stop")):
            markup = show(job(), tried=tried, **{may: True})
            assert re.findall(
                r'<details class="c-steering-form" id="steer-(\w+)" hx-preserve="true" open>', markup
            ) == [tried]
        for tried in ("retry", "undo"):
            markup = show(job(), tried=tried, after=AFTERWARDS)
            assert markup.count('<details class="c-steering-form" open>') == 1
            opened = markup.split('<details class="c-steering-form" open>')[1]
            assert f'action="/jobs/71/{tried}/"' in opened.split("</details>")[0]
        assert " open>" not in show(job(), after=AFTERWARDS, may_stop=True, may_decide=True)

    def test_shows_the_errors_of_its_forms(self):
        resume = ResumeForm(QueryDict("confirmed=many"), auto_id="resume_%s")
        resume.add_error(None, "Not paused.")
        forms = {**FORMS, "resume": resume}
        markup = show(job(), may_resume=True, has_to_be_confirmed=True, forms=forms)
        assert outline_of(markup, within="job-top")[-7:] == [
            "Orphan responses belong to no message: 33 selected",
            "(/jobs/71/resume/)",
            "Not paused.",
            "Type 24 to continue",
            "<confirmed=many>",
            "Enter a whole number of messages.",
            "Confirm 24 messages",
        ]
        assert 'aria-invalid="true"' in markup
        assert "aria-invalid" not in show(job(), may_resume=True, has_to_be_confirmed=True)
        rate = RateForm(QueryDict("rate=fast"), auto_id="rate_%s")
        rate.add_error(None, "It has ended.")
        stop = ReasonForm(QueryDict("reason="), auto_id="stop_%s")
        stop.add_error(None, "It has stopped.")
        markup = show(job(), may_stop=True, forms={**FORMS, "rate": rate, "stop": stop})
        assert outline_of(markup, within="steer-rate") == [
            "Change rate",
            "(/jobs/71/rate/)",
            "It has ended.",
            "Max rate (messages/s)",
            "<rate=fast>",
            "Leave empty for no limit.",
            "Enter a number of messages per second, or leave it empty.",
            "Reason (optional)",
            "<reason>",
            "Change rate",
        ]
        assert outline_of(markup, within="steer-stop") == [
            "Stop job",
            "(/jobs/71/stop/)",
            "Messages already processed are not undone. Chunks in progress finish, then the job ends.",
            "It has stopped.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Stop job",
        ]

    def test_asks_for_the_password_where_a_large_job_follows(self):
        request = RequestFactory().get("/")

        def fields(*names: str) -> list[str]:
            passwords = {name: PasswordForm(request=request, auto_id=f"{name}_%s") for name in names}
            return re.findall(
                r'<label for="(\w+_password)"', show(job(), after=AFTERWARDS, passwords=passwords)
            )

        assert fields() == []
        assert fields("retry") == ["retry_password"]
        assert fields("undo") == ["undo_password"]

    def test_offers_no_follower_that_is_not_possible(self):
        assert "Retry failed" not in show(job(), after=replace(AFTERWARDS, may_retry=False))
        assert "Undo job" not in show(job(), after=replace(AFTERWARDS, undo=None))
        assert "You can undo" not in show(job(), after=replace(AFTERWARDS, undo=None))

    def test_follows_only_a_job_that_is_live(self):
        assert 'hx-trigger="every 2s' in show(job())
        ended = show(job(), is_live=False)
        assert 'hx-trigger="every 2s' not in ended
        assert "/jobs/71/since/" not in show(job(), has_current_status=False)
        assert 'http-equiv="refresh"' in show(job(), block="head")
        assert 'http-equiv="refresh"' not in show(job(), block="head", is_live=False)

    def test_offers_the_next_step_of_a_preview_to_users_who_may_take_it(self):
        preview = job(dry_run=True, state="planned")
        assert "Continue with this preview" in show(preview)
        assert "Continue with this preview" not in show(preview, may_steer=False)
        assert "Continue with this preview" not in show(job(dry_run=True, state="planning"))
        assert "Continue with this preview" not in show(job(state="planned"))
        assert "Now in the hub" in outline_of(show(job()))
        assert "Now in the hub" not in outline_of(show(preview))


class TestProgress:
    def parts(self, **values: object) -> list[str]:
        context = {**context_of(job()), **values}
        request = RequestFactory().get("/")
        markup = render_to_string("messages_app/jobs/_progress.html", context, request)
        return re.findall(r'id="([\w-]+)"[^>]*hx-swap-oob="true"', markup)

    def test_replaces_the_parts_whose_counts_changed(self):
        ledger = ["job-outcomes", "job-rows", "ledger-tabs", "ledger-rows", "ledger-pages"]
        assert self.parts() == ["job-status", *ledger]
        assert self.parts(current_status_is_new=True) == ["job-status", "job-current-status", *ledger]
        assert self.parts(ledger=None) == ["job-status"]
        assert self.parts(is_other_phase=True) == [
            "job-notes",
            "job-facts",
            "job-activity",
            "job-status",
            "job-rows",
            "ledger-tabs",
            "ledger-rows",
            "ledger-pages",
        ]

    def test_marks_no_part_of_a_whole_page_as_replaced(self):
        assert "hx-swap-oob" not in show(job())


class TestCurrentStatus:
    def show(self, status: CurrentStatus, **ends: int) -> list[str]:
        drawn = make_shares(list(ends.items()), whole=status.looked_at)
        counts = {End(name): count for name, count in ends.items()}
        chart = StatusChart(status=status, ends=counts, shares=drawn)
        page = "messages_app/jobs/current_status.html"
        heading = outline_of(show_block(page, block="heading", job=job(), chart=chart))
        return heading + outline_of(show_block(page, job=job(), chart=chart))

    def test_shows_all_its_numbers(self):
        status = CurrentStatus(done=90, looked_at=50, archived=14)
        assert self.show(status, ok=20, gone=30) == [
            "Messages now in the hub",
            "[Job 71](/jobs/71/)",
            "Now in the hub",
            "(svg viewbox=0 0 100 1)",
            "{ok} (rect x=0.0 width=40.0 height=1)",
            "{gone} (rect x=40.0 width=60.0 height=1)",
            "{OK} [20 processed](/jobs/71/?now=ok#ledger)",
            "{gone} [30 deleted](/jobs/71/?now=gone#ledger)",
            "[14 of these archived](/jobs/71/?now=archived#ledger)",
            "from an even sample of 50 of 90",
        ]

    def test_shows_no_sample_of_all(self):
        status = CurrentStatus(done=50, looked_at=50)
        assert self.show(status, ok=50)[3:] == [
            "(svg viewbox=0 0 100 1)",
            "{ok} (rect x=0.0 width=100.0 height=1)",
            "{OK} [50 processed](/jobs/71/?now=ok#ledger)",
        ]

    def test_shows_that_none_was_done(self):
        assert self.show(CurrentStatus(done=5, looked_at=5))[3:] == ["No messages done."]
