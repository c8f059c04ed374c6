import pytest

from messages_app.jobs.export_downloads import NoFile, offer_file
from messages_app.jobs.models import Job, JobItem
from messages_app.messages.models import Message
from tests.messages_app.erasure.runs import dry_run, run
from tests.support.exports import file_of, folder_of, parts_folder_of
from tests.support.subjects import KEY, OTHER, holding, make_message

pytestmark = pytest.mark.django_db(transaction=True)


def exported(message: Message, *, state: str = "done") -> Job:
    """Store an export that includes the message, with its file and a part of it."""
    job = Job.objects.create(
        kind="export", state=state, options={"format": "csv"}, reason="x", created_by="ada"
    )
    JobItem.objects.create(
        job_id=job.pk, chunk_no=0, msg_id=message.pk, root_msg_id=message.pk, old_state="OK"
    )
    parts_folder_of(job.pk).mkdir(parents=True)
    file_of(job).write_text(f"msg_id,object_id\r\n{message.pk},{message.object_id}\r\n")
    (parts_folder_of(job.pk) / "1.csv").write_text(message.object_id)
    return job


class TestRemoveExports:
    @pytest.mark.parametrize("state", ["done", "failed", "stopped"])
    def test_removes_whole_files_with_a_row_of_the_subject(self, state):
        mine, theirs = exported(make_message(), state=state), exported(make_message(OTHER), state=state)
        found = run()
        assert found.rows["export"] == 1
        assert not folder_of(mine.pk).exists()
        assert file_of(theirs).exists()
        assert holding(KEY) == {}

    def test_shows_it_on_the_job(self):
        job = exported(make_message())
        run()
        with pytest.raises(NoFile, match="was deleted"):
            offer_file(Job.objects.get(pk=job.pk))

    def test_leaves_a_message_of_an_export_that_is_in_progress(self):
        job = exported(make_message(), state="running")
        assert f"job {job.pk} includes it" in run().left[0][2]
        assert file_of(job).exists()

    def test_is_reported_before_by_a_dry_run(self):
        job = exported(make_message())
        assert dry_run().rows == {"message": 1, "export": 1}
        assert file_of(job).exists()
        assert Job.objects.get().report == {}
