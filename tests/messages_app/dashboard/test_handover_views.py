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


class TestHandoverText:
    @pytest.mark.parametrize("path", ["/handover/", "/handover/text/"])
    @pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati"])
    def test_shows_the_first_times_of_the_calendar_in_every_zone(self, path, zone):
        client = client_of("support", username="ada")
        choices = {"times": "own", "time_zone": zone, "density": "compact", "start_page": "/"}
        assert client.post("/me/", choices).status_code == 302
        assert client.get(f"{path}?since=0001-01-01T00:00:00Z").status_code == 200

    def test_has_all_parts_on_lines_of_their_own(self):
        now, client = database_clock(), client_of("support", username="ada")
        make_rule()
        job = restart(fail("outage", 3), became="OK")
        fail("other", 2)
        make_message(state="WAITING", receive_timestamp=now - timedelta(days=2))
        fold_changes(), group_new_failures(), check_rules()
        client.post("/notes/shift/0/", {"text": "Call the bank.\nSoon."})
        answer = client.get("/handover/text/?since=-8h")
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        lines = answer.content.decode().splitlines()
        assert lines[0].startswith("Handover from ")
        titles = ("Opened", "Repairs", "Still open", "Watch this", "Notes of the shift")
        assert [line for line in lines if line in titles] == list(titles)
        assert any(line.startswith(f"- Restart {job.pk} by ana: 3 done, now 3 processed, ") for line in lines)
        assert any(line.startswith("- Alert Failed: value 2, open for ") for line in lines)
        assert any(line.startswith("- Oldest message: WAITING for 2 d") for line in lines)
        assert lines[-1] == "- ada: Call the bank. Soon."

    def test_names_a_wrong_time(self):
        answer = client_of("support").get("/handover/text/?since=whenever")
        assert (answer.status_code, answer.content[:27]) == (400, b"Enter a time in the past, s")


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
        still_open, _ = still_open.split("<h2>Watch this</h2>")
        assert f'href="/jobs/{job.pk}/">Restart {job.pk} by ana</a>' in repaired
        for told in ("the target is back", "3 done", "3 processed", "Outage", "1 failed again"):
            assert told in repaired
        assert "2 failing" in still_open
        assert "Outage" not in still_open

    def test_accepts_times_like_the_lists_and_reports_invalid_ones(self):
        client = client_of("support")
        assert "Nothing is open." in text_of(client.get("/handover/?since=-3d"))
        link = client.get("/handover/?since=2026-11-01T08:00:00%2B01:00")
        assert "2026-11-01 07:00:00" in text_of(link)
        for odd in ("whenever", "2099-01-01", "-0"):
            response = client.get("/handover/", {"since": odd})
            assert response.status_code == 400
            assert "Enter a time in the past" in text_of(response)
        assert client_of(username="eve").get("/handover/").status_code == 403
