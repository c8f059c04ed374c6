from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.bulk_guard import (
    is_password_required,
    is_password_required_for_follower,
    is_password_required_for_set,
    kept_in_report,
)
from messages_app.shared.job_states import BulkGuard, Follower, JobKind
from tests.messages_app.jobs.requested import request_of
from tests.support.factories import make_message, make_messages
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db

GUARDED = ["archive", "restore", "restart", "cancel", "resend", "reprocess", "archive_history"]
FREE = ["export", "group_failures", "analyse", "index_keys"]

GUARDS = [str(guard) for guard in BulkGuard]


class TestRequiresPassword:
    @pytest.mark.parametrize("kind", JobKind)
    def test_is_for_kinds_that_change_many_rows(self, settings, kind):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 10
        assert is_password_required(kind, 10) == (kind in GUARDED)
        assert not is_password_required(kind, 9)
        assert kind in {*GUARDED, *FREE}

    @pytest.mark.parametrize("guard", [BulkGuard.NONE, BulkGuard.SECOND_PERSON])
    def test_is_not_another_rule(self, settings, guard):
        settings.BULK_GUARD = guard
        assert not is_password_required("cancel", 10**9)


class TestFollowerRequiresPassword:
    @pytest.mark.parametrize(("done", "failed", "guarded"), [(11, 4, Follower.UNDO), (3, 12, Follower.RETRY)])
    def test_undoes_what_is_done_and_retries_what_failed(self, settings, done, failed, guarded):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 10
        job = Job(kind="archive")
        progress = JobProgress(
            job=job, planned=done + failed + 2, done=done, skipped=2, failed=failed, outcomes=[], orphans={}
        )
        assert [one for one in Follower if is_password_required_for_follower(progress, one)] == [guarded]


def slow_messages() -> None:
    """Make every read of messages exceed its time limit."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE message RENAME TO message_table")
        # A view of two tables, because the console samples the table behind a view of one.
        cursor.execute(
            "CREATE VIEW message AS SELECT message_table.*"
            " FROM message_table, pg_sleep(2.5), (SELECT count(*) FROM job) AS jobs"
        )


class TestSetRequiresPassword:
    @pytest.fixture(autouse=True)
    def guard(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "password", 3

    def of_failed(self, **more: object) -> bool:
        return is_password_required_for_set(request_of("restart", {"state": "FAILED"} | more))

    def test_counts_what_would_be_changed(self):
        for state in ("FAILED", "FAILED", "OK", "OK"):
            make_message(state=state)
        assert not self.of_failed(state="FAILED,OK")
        make_message(state="FAILED")
        assert self.of_failed(state="FAILED,OK")

    def test_uses_the_bounds_of_what_would_be_changed(self, settings):
        settings.BULK_GUARD_FROM = 4_001
        make_messages(4_000, first=datetime(2025, 1, 1, tzinfo=UTC))
        archive = request_of("archive", {"service_name": "billing"})
        assert not is_password_required_for_set(archive)
        settings.BULK_GUARD_FROM = 4_000
        assert is_password_required_for_set(archive)

    def test_treats_a_set_that_cannot_be_counted_in_time_as_large(self):
        make_message(state="FAILED")
        slow_messages()
        with CaptureQueriesContext(connection) as queries:
            assert self.of_failed()
        # If the bounds do not decide, messages are counted up to the limit, and no further.
        assert any("COUNT(" in query["sql"].upper() and "LIMIT 3" in query["sql"] for query in queries)

    def test_does_not_query_the_database_if_the_rule_does_not_exist(
        self, settings, django_assert_num_queries
    ):
        settings.BULK_GUARD = "none"
        with django_assert_num_queries(0):
            assert not self.of_failed()


class TestKeptInReport:
    def test_shows_from_how_many_messages_on_a_job_waits(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "second_person", 7
        for kind in JobKind:
            kept = {"second_person_from": 7} if kind in GUARDED else {}
            assert kept_in_report(kind, is_scheduled=False) == kept
            assert kept_in_report(kind, is_scheduled=True) == {}

    def test_is_one_for_corrected_payloads_if_the_setting_says_so(self, settings):
        settings.RESEND_GUARD = "second_person"
        for is_scheduled in (True, False):
            assert kept_in_report("resend", is_scheduled=is_scheduled) == {"second_person_from": 1}
            assert kept_in_report("restart", is_scheduled=is_scheduled) == {}

    @pytest.mark.parametrize("guard", [BulkGuard.NONE, BulkGuard.PASSWORD])
    def test_shows_nothing_if_another_rule_applies(self, settings, guard):
        settings.BULK_GUARD = guard
        assert kept_in_report("cancel", is_scheduled=False) == {}


class TestPassword:
    @pytest.mark.parametrize("guard", GUARDS)
    def test_is_required_from_a_number_of_messages_on(self, settings, guard):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = guard, 5
        is_asked = guard == "password"
        assert [is_password_required("cancel", number) for number in (4, 5, 6)] == [False, is_asked, is_asked]
        assert not is_password_required("export", 6)

    def test_of_a_follower_depends_on_what_it_undoes_or_retries(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = BulkGuard.PASSWORD, 3
        for done, failed, asked in ((3, 2, (True, False)), (2, 3, (False, True))):
            job = Job.objects.create(kind="cancel", state="done", reason="r", created_by="ada")
            outcomes = ["done"] * done + ["failed:x"] * failed
            store_ledger(job, dict(enumerate(outcomes, start=1)))
            progress = job_progress(job.pk)
            found = [
                is_password_required_for_follower(progress, one) for one in (Follower.UNDO, Follower.RETRY)
            ]
            assert tuple(found) == asked

    @pytest.mark.parametrize("guard", GUARDS)
    def test_of_a_filter_depends_on_its_messages(self, settings, guard):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = guard, 3
        asked = request_of("cancel", {"state": "NEW"})
        found = []
        for _ in range(4):
            make_message(state="NEW"), make_message(state="OK")
            found.append(is_password_required_for_set(asked))
        is_asked = guard == "password"
        assert found == [False, False, is_asked, is_asked]
