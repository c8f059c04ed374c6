from datetime import timedelta

import pytest

from messages_app.first_page.handover import handover
from messages_app.jobs.models import Job
from messages_app.messages.failing.joining import join
from messages_app.messages.failing.models import FailureGroup
from messages_app.messages.failing.services import mark_group
from messages_app.messages.rollups.folding import fold
from messages_app.messages.watching.checking import check_rules
from messages_app.web.clock import database_clock
from tests.factories import make_message
from tests.jobs import WHY
from tests.messages_app.messages.watching.rules import make_rule

pytestmark = pytest.mark.django_db


class TestHandover:
    def test_tells_nothing_of_a_quiet_time(self):
        found = handover(database_clock())
        assert (found.groups, found.alerts, found.jobs, found.archive_runs, found.oldest) == (
            [],
            [],
            [],
            [],
            None,
        )

    def test_tells_new_groups_and_open_alerts_and_what_waits(self):
        now = database_clock()
        make_rule()
        make_message(state="FAILED", receive_timestamp=now)
        make_message(state="WAITING", receive_timestamp=now - timedelta(days=2))
        join()
        fold()
        check_rules()
        found = handover(now - timedelta(hours=8))
        assert [group.state for group in found.groups] == ["new"]
        assert [alert.rule.name for alert in found.alerts] == ["Failed"]
        assert found.oldest.state == "WAITING"
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        assert handover(now - timedelta(hours=8)).groups == []

    def test_tells_jobs_that_failed_and_archive_runs(self):
        now = database_clock()
        ended = {"created_by": "ana", "reason": "x", "finished_at": now}
        failed = Job.objects.create(kind="restart", state="failed", error="no room", **ended)
        archived = Job.objects.create(kind="archive", state="done", **ended)
        Job.objects.create(kind="restart", state="done", **ended)
        Job.objects.create(kind="archive", state="done", **ended | {"finished_at": now - timedelta(days=2)})
        found = handover(now - timedelta(hours=8))
        assert [one.job.pk for one in found.jobs] == [failed.pk]
        assert [one.job.pk for one in found.archive_runs] == [archived.pk]
