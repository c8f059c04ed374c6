from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard.models import FirstPageVisit
from messages_app.jobs.models import Job
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.dashboard.test_handover import fail, restart
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


class TestHandoverPage:
    def test_shows_what_happened_since_the_last_visit(self):
        now, client = database_clock(), client_of("support")
        make_rule()
        make_message(state="FAILED", failed_desc="E103: timed out", receive_timestamp=now)
        make_message(state="WAITING", receive_timestamp=now - timedelta(days=2))
        ended = {"created_by": "ana", "reason": "x", "finished_at": now}
        Job.objects.create(kind="restart", state="failed", error="no room", **ended)
        Job.objects.create(kind="archive", state="done", **ended)
        fold_changes(), group_new_failures(), check_rules()
        text = text_of(client.get("/handover/"))
        assert "Last 8 h" in text
        for told in ("Timed out", "no room", "Archive", "WAITING", "Failed"):
            assert told in text
        FirstPageVisit.objects.update(here_at=now - timedelta(minutes=31))
        assert "Since my last visit" in text_of(client.get("/handover/"))

    def test_shows_who_repaired_what_with_which_job(self):
        ids = fail("outage", 3)
        job = restart(ids, became="OK")
        still = fail("other", 2)
        restart(still[:1], became="FAILED")
        text = text_of(client_of("support").get("/handover/"))
        repaired, still_open = text.split("<h2>Still open</h2>")
        assert f'href="/jobs/{job.pk}/">Restart {job.pk}</a>' in repaired
        for told in ("ana", "the target is back", "3 done", "3 OK", "Outage", "1 failed again"):
            assert told in repaired
        assert "2 failed" in still_open
        assert "Outage" not in still_open

    def test_accepts_times_like_the_lists_and_reports_invalid_ones(self):
        client = client_of("support")
        assert "No failures from this period are open." in text_of(client.get("/handover/?since=-3d"))
        link = client.get("/handover/?since=2026-11-01T08:00:00%2B01:00")
        assert "2026-11-01 07:00:00" in text_of(link)
        for odd in ("whenever", "2099-01-01", "-0"):
            response = client.get("/handover/", {"since": odd})
            assert response.status_code == 400
            assert "Enter a time in the past" in text_of(response)
        assert client_of(username="eve").get("/handover/").status_code == 403
