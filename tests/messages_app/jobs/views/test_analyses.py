"""The answers of analyses on the pages of a job and of a failure group."""

import pytest

from messages_app.jobs.models import Job
from messages_app.shared.text_safety import MASK
from spark_tasks.analyses.reports import Finding
from tests.messages_app.incident_pages.outage import make_outage
from tests.messages_app.jobs.test_findings import CURRENCY, SENDER, SHARES, make_analysis
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db

COMPARED = {
    "failing": 212,
    "passing": 1000,
    "services": ["billing", "order"],
    "start": "2026-11-20T10:00:00+00:00",
    "end": "2026-11-20T10:10:00+00:00",
    "uncompared": 4,
    "days": 0,
    "archived": 0,
    "unreadable": 0,
    "comparisons": 321,
    "is_comparable": True,
}
PART = {"HX-Request": "true"}


def store_analysis(*findings: Finding, **compared: object) -> Job:
    job = make_analysis(*findings)
    job.report["comparison"] = COMPARED | compared
    job.save(force_insert=True)
    return job


class TestJobPage:
    def test_shows_each_finding_as_a_sentence_with_two_bars_and_a_link(self):
        store_analysis(Finding((SENDER,), SHARES, (CURRENCY,)))

        text = text_of(client_of("support").get("/jobs/1/"))

        assert "All 212 have source system CRM; 3\u00a0% of the processed ones do" in text
        assert "212 of 212 (100\u00a0%)" in text
        assert "30 of 1\u202f000 (3\u00a0%)" in text
        assert f"The same messages have Currency {MASK}." in text
        assert 'href="/messages/?state=FAILED&amp;failure_group=7&amp;source_system=CRM"' in text
        assert "CHF" not in text

    def test_shows_values_to_users_with_the_right_to_payloads(self):
        store_analysis(Finding((CURRENCY,), SHARES))

        assert "All 212 have Currency CHF" in text_of(reader_of("support").get("/jobs/1/"))

    def test_says_nothing_plainly_with_what_was_compared_and_left_out(self):
        store_analysis()

        text = " ".join(text_of(client_of("support").get("/jobs/1/")).split())

        assert "<strong>Nothing.</strong> No value, missing field or length is much more frequent" in text
        assert (
            "Compared: 212 failing with 1 000 processed messages of billing, order, in 321 properties."
            in text
        )
        assert "Left out: 4 of services that processed nothing in that time." in text
        assert "None of them are archived." in text

    def test_says_how_many_processed_messages_are_from_the_archive(self):
        store_analysis(archived=1200)

        text = " ".join(text_of(client_of("support").get("/jobs/1/")).split())

        assert "About 1 200 of the processed messages are from the archive" in text
        assert "those in Parquet files are not compared." in text

    def test_says_from_which_days_processed_messages_are(self):
        store_analysis(days=7)

        text = " ".join(text_of(client_of("support").get("/jobs/1/")).split())

        assert "Few were processed at that time, so some are from up to 7 days before or after." in text

    def test_says_that_there_are_too_few_messages(self):
        store_analysis(failing=3, is_comparable=False)

        assert "Too few messages to compare: 3 failing" in text_of(client_of("support").get("/jobs/1/"))

    def test_does_not_call_an_empty_selection_nothing_in_common(self):
        make_analysis().save(force_insert=True)

        text = text_of(client_of("support").get("/jobs/1/"))

        assert "There were no messages to compare." in text
        assert "Nothing." not in text

    def test_shows_how_many_messages_were_read_while_it_runs(self):
        Job.objects.create(
            pk=2, kind="analyse", state="running", reason="r", report={"read": 1200, "to_read": 4000}
        )

        text = " ".join(text_of(client_of("support").get("/jobs/2/")).split())

        assert "Read 1 200 of about 4 000 messages." in text
        assert "Nothing." not in text


class TestAnalysisOfGroup:
    def test_shows_the_newest_analysis_of_the_group(self):
        store_analysis(Finding((SENDER,), SHARES))
        Job.objects.create(pk=2, kind="analyse", state="done", reason="r", filter={"failure_group": "8"})
        Job.objects.create(pk=3, kind="restart", state="done", reason="r", filter={"failure_group": "7"})

        part = text_of(client_of("support").get("/jobs/analyses/of-failure-group/7/", headers=PART))

        assert "All 212 have source system CRM" in part
        assert 'href="/jobs/1/"' in part
        assert "<html" not in part

    def test_offers_an_analysis_of_a_group_without_one(self):
        page = text_of(client_of("support").get("/jobs/analyses/of-failure-group/7/"))

        assert "<html" in page
        assert "Compare with processed messages" in page

    def test_has_no_answer_of_an_analysis_that_runs(self):
        Job.objects.create(kind="analyse", state="running", reason="r", filter={"failure_group": "7"})

        assert "There is no answer yet." in text_of(
            client_of("support").get("/jobs/analyses/of-failure-group/7/", headers=PART)
        )


class TestAnalysisOfIncident:
    def test_shows_the_newest_analysis_of_the_incident_and_no_other(self):
        job = store_analysis(Finding((SENDER,), SHARES))
        Job.objects.filter(pk=job.pk).update(filter={"state": "FAILED", "incident": "7"})
        Job.objects.create(pk=2, kind="analyse", state="done", reason="r", filter={"failure_group": "7"})

        part = text_of(client_of("support").get("/jobs/analyses/of-incident/7/", headers=PART))

        assert "All 212 have source system CRM" in part
        assert 'href="/jobs/1/"' in part
        assert 'value="state=FAILED&amp;incident=7"' in part
        assert "Compare again" in part

    def test_is_offered_on_the_page_of_the_incident(self):
        incident = make_outage()

        page = text_of(client_of("support").get(f"/incidents/{incident.pk}/"))
        assert f'hx-get="/jobs/analyses/of-incident/{incident.pk}/"' in page
        part = text_of(client_of("support", username="bob").get(f"/jobs/analyses/of-incident/{incident.pk}/"))
        assert "Compare with processed messages" in part
        assert f'href="/incidents/{incident.pk}/"' in part


class TestStartAnalysis:
    def test_starts_an_analysis_of_the_filter_and_opens_its_page(self):
        answer = client_of("support").post("/jobs/analyses/new/", {"query": "state=FAILED&failure_group=7"})

        job = Job.objects.get()
        assert (job.kind, job.filter) == ("analyse", {"state": "FAILED", "failure_group": "7"})
        assert answer.headers["Location"] == f"/jobs/{job.pk}/"

    @pytest.mark.parametrize(
        "query", ["", "stat=FAILED", "state=OK", "archived=true&service_name=billing", "%ff"]
    )
    def test_refuses_a_wrong_filter(self, query):
        answer = client_of("support").post("/jobs/analyses/new/", {"query": query})

        assert answer.status_code == 400
        assert not Job.objects.exists()

    def test_is_refused_to_users_who_may_not_view_messages(self):
        assert client_of().post("/jobs/analyses/new/", {"query": "state=FAILED"}).status_code == 403
        assert not Job.objects.exists()
