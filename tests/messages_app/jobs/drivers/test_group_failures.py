import pytest

from messages_app.jobs.errors import InvalidJob
from messages_app.messages.failures.models import FailureGroup, NewFailure
from tests.support import jobs
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("spark_remote")
class TestGroupingFailures:
    def test_groups_all_earlier_failures_and_reports_how_many(self):
        for make in (make_message, make_message, make_archived_message):
            make(state="FAILED", failed_error_code="E103", failed_desc="E103: timed out")
        make_message(state="OK")
        NewFailure.objects.all().delete()  # like failures from before the console was installed
        asked = jobs.work(jobs.new_job("group_failures", {}, dry_run=True))
        assert (asked.job.state, asked.job.report["planned"]) == ("planned", 3)
        done = jobs.run("group_failures", {})
        assert (done.job.state, done.job.report["grouped"], done.planned) == ("done", 3, 0)
        assert FailureGroup.objects.get().failures == 3
        assert jobs.run("group_failures", {}).job.report["grouped"] == 0


class TestItsFilter:
    def test_is_missing(self):
        with pytest.raises(InvalidJob) as refusal:
            jobs.new_job("group_failures", {"state": "FAILED"})
        assert [error.field for error in refusal.value.errors] == ["filter.state"]
