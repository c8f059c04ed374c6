"""The limits of new jobs, each at its last allowed number and at the next one."""

import pytest

from messages_app.core.problems import Problem
from messages_app.jobs.exports import folder_of_exports
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.limits import (
    check_bounds,
    follower_requires_password,
    has_export_space,
    requires_password,
    set_requires_password,
)
from messages_app.shared.job_states import BulkGuard, Follower
from tests.support.factories import make_message
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db

GUARDS = [str(guard) for guard in BulkGuard]


class TestExportSpace:
    @pytest.fixture(autouse=True)
    def files(self, settings, tmp_path) -> None:
        settings.HUBCONSOLE_HOME = tmp_path
        (folder_of_exports() / "job-1").mkdir(parents=True)
        (folder_of_exports() / "job-1" / "a.csv").write_bytes(b"x" * 30)
        (folder_of_exports() / "b.csv").write_bytes(b"x" * 12)

    def test_ends_at_the_limit(self, settings):
        used = sum(path.lstat().st_size for path in folder_of_exports().rglob("*"))
        assert used > 42
        for limit, has_space in ((used + 1, True), (used, False), (used - 1, False)):
            settings.EXPORT_BYTES = limit
            assert has_export_space() is has_space

    def test_is_needed_only_by_jobs_that_write_files(self, settings):
        settings.EXPORT_BYTES = 0
        with pytest.raises(Problem, match="The files of exports take 0 MB") as refused:
            check_bounds(kind="export", user_id=7, dry_run=False)
        assert (refused.value.status, refused.value.code) == (409, "export_space")
        check_bounds(kind="export", user_id=7, dry_run=True)
        settings.EXPORT_BYTES = 10**9
        check_bounds(kind="export", user_id=7, dry_run=False)
        check_bounds(kind="cancel", user_id=7, dry_run=False)


class TestPassword:
    @pytest.mark.parametrize("guard", GUARDS)
    def test_is_required_from_a_number_of_messages_on(self, settings, guard):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = guard, 5
        is_asked = guard == "password"
        assert [requires_password("cancel", number) for number in (4, 5, 6)] == [False, is_asked, is_asked]
        assert not requires_password("export", 6)

    def test_of_a_follower_depends_on_what_it_undoes_or_retries(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = BulkGuard.PASSWORD, 3
        for done, failed, asked in ((3, 2, (True, False)), (2, 3, (False, True))):
            job = Job.objects.create(kind="cancel", state="done", reason="r", created_by="ada")
            outcomes = ["done"] * done + ["failed:x"] * failed
            store_ledger(job, dict(enumerate(outcomes, start=1)))
            progress = job_progress(job.pk)
            found = [follower_requires_password(progress, one) for one in (Follower.UNDO, Follower.RETRY)]
            assert tuple(found) == asked

    @pytest.mark.parametrize("guard", GUARDS)
    def test_of_a_filter_depends_on_its_messages(self, settings, guard):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = guard, 3
        asked = {"kind": "cancel", "filter": {"state": "NEW"}, "options": {}, "user": None}
        found = []
        for _ in range(4):
            make_message(state="NEW"), make_message(state="OK")
            found.append(set_requires_password(**asked))
        is_asked = guard == "password"
        assert found == [False, False, is_asked, is_asked]
