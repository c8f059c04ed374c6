"""Rows that a handover leaves out, each excluded by one condition."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard.handover import read_handover
from messages_app.dashboard.models import FirstPageVisit
from messages_app.jobs.models import Job
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.dashboard.test_handover import fail
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


class TestHandover:
    def test_names_the_oldest_message_that_is_not_final(self):
        now = database_clock()
        for state, hours in (("FAILED", 9), ("CANCEL", 8), ("WAITING", 7), ("POSTPONED", 6)):
            make_message(state=state, receive_timestamp=now - timedelta(hours=hours))
        fold_changes()
        assert read_handover(now - timedelta(hours=1)).oldest.state == "WAITING"

    def test_reports_jobs_with_failed_messages_and_jobs_with_an_error(self):
        now = database_clock()
        ended = {"created_by": "ana", "reason": "x", "finished_at": now, "kind": "restart"}
        ids = [make_message().pk for _ in range(3)]
        partly, failed, whole = (
            Job.objects.create(state="done", error=error, **ended) for error in ("", "no room", "")
        )
        store_ledger(partly, {ids[0]: "failed:too_slow"})
        store_ledger(whole, {ids[1]: "done", ids[2]: "skipped:state_conflict"})
        Job.objects.create(state="done", error="old", **ended | {"finished_at": now - timedelta(hours=2)})
        Job.objects.create(state="done", error="preview", dry_run=True, **ended)
        Job.objects.create(state="running", error="not ended", **ended)
        found = {
            one.job.pk: (one.done, one.skipped, one.failed)
            for one in read_handover(now - timedelta(hours=1)).jobs
        }
        assert found == {partly.pk: (0, 0, 1), failed.pk: (0, 0, 0)}

    def test_has_no_open_group_without_messages(self):
        now = database_clock()
        fail("outage", 2)
        seen = {"first_seen": now, "last_seen": now, "service_name": "crm", "operation_name": "read"}
        FailureGroup.objects.create(fingerprint="empty", summary="empty", **seen)
        found = read_handover(now - timedelta(hours=1))
        assert [one.group.summary for one in found.open_groups] == ["outage"]
        assert found.repaired == []


class TestHandoverPage:
    def test_begins_at_the_last_visit_or_a_shift_ago(self):
        client = client_of("support")
        first = client.get("/handover/")
        assert first.status_code == 200
        found = first.context["found"]
        assert timedelta(hours=8) <= found.until - found.since < timedelta(hours=8, minutes=1)
        here = database_clock() - timedelta(hours=3)
        FirstPageVisit.objects.update(here_at=here)
        later = client.get("/handover/")
        assert later.context["last_here"] == later.context["found"].since == here

    def test_rejects_a_time_of_the_future(self):
        assert client_of("support").get("/handover/?since=2099-01-01").status_code == 400


class TestFirstPage:
    def test_covers_the_requested_time_and_notes_the_visit(self):
        client = client_of("support")
        for window in ("1h", "3h", "24h", "7d"):
            assert client.get(f"/?window={window}").context["window"] == window
        assert client.get("/").context["window"] == "24h"
        assert FirstPageVisit.objects.count() == 1
