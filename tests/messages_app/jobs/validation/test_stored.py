import pytest

from messages_app.jobs.engine.runner import run_job
from messages_app.jobs.models import Job
from messages_app.jobs.validation import describe_stored_faults
from messages_app.shared.job_states import JobState
from tests.support.factories import NOON


def job(**columns: object) -> Job:
    good = {"kind": "restart", "filter": {"state": "FAILED"}, "options": {"total": False}, "reason": "r"}
    return Job(**good | columns)


class TestStoredFault:
    @pytest.mark.parametrize(
        "columns",
        [
            {},
            {"kind": "archive", "filter": {}, "options": {"older_than_months": 2}, "cutoff": NOON},
            {"kind": "cancel", "filter": {}, "options": {}, "undo_of": 7},
            {"kind": "restore", "filter": {}, "options": {}, "undo_of": 7},
            {"retry_of": 7},
        ],
    )
    def test_accepts_all_jobs_that_the_console_stores(self, columns):
        assert describe_stored_faults(job(**columns)) == ""

    @pytest.mark.parametrize(
        ("columns", "named"),
        [
            ({"kind": "drop table"}, "kind"),
            ({"kind": "reprocess"}, "filter.state"),
            ({"kind": "archive_history", "filter": {}, "options": {}}, "cutoff"),
            ({"filter": {}}, "filter"),
            ({"filter": []}, "filter and options"),
            ({"filter": "state=FAILED"}, "filter and options"),
            ({"filter": {"state": "GONE"}}, "filter.state"),
            ({"filter": {"where": "1=1"}}, "filter.where"),
            ({"options": 5}, "filter and options"),
            ({"options": {"total": "yes"}}, "options.total"),
            ({"options": {"wher": 1}}, "options.wher"),
            ({"rate": -5}, "rate"),
            ({"rate": float("nan")}, "rate"),
            ({"kind": "archive", "filter": {}, "options": {"to": "attic"}, "cutoff": NOON}, "options.to"),
            ({"kind": "archive", "filter": {}, "options": {}}, "cutoff"),
        ],
    )
    def test_names_manual_edits(self, columns, named):  # J72
        fault = describe_stored_faults(job(**columns))
        assert fault.startswith("stored parameters invalid: ")
        assert named in fault


@pytest.mark.django_db(transaction=True)
class TestRunJob:
    def test_ends_a_manually_edited_job_and_continues(self):
        edited = job(filter={"state": "GONE"}, created_by="ada")
        edited.save()

        run_job(job_id=edited.pk)

        edited.refresh_from_db()
        assert edited.state == JobState.FAILED
        assert edited.error.startswith("stored parameters invalid: filter.state: ")
