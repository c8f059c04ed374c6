"""The disk space of exports at its limit, below it and above it."""

import pytest

from messages_app.core.problems import Problem
from messages_app.jobs.exports import has_export_space
from messages_app.jobs.services.create import check_bounds
from tests.support.exports import folder_of_exports

pytestmark = pytest.mark.django_db


class TestExportSpace:
    @pytest.fixture(autouse=True)
    def files(self, settings, tmp_path) -> None:
        settings.HUBCONSOLE_HOME = tmp_path
        (folder_of_exports() / "job-1").mkdir(parents=True)
        (folder_of_exports() / "job-1" / "a.csv").write_bytes(b"x" * 30)
        (folder_of_exports() / "b.csv").write_bytes(b"x" * 12)

    def test_ends_at_the_limit(self, settings):
        for limit, has_space in ((43, True), (42, False), (41, False)):
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
