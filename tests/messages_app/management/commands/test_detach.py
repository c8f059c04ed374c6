"""`detach` while a worker is still at work."""

import threading

import pytest
from django.core.management import CommandError
from django.db import connection

from messages_app.jobs.models import Job
from messages_app.messages.attachment import current_attachment
from messages_app.shared.job_states import JobState
from tests.messages_app.attach.test_leaving import job_of_a_worker
from tests.support.attached import attached_hub, detach
from tests.support.eventually import eventually


def test_rows_that_a_job_archives_until_it_has_stopped_are_not_lost(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), attached_hub("OpenHub 2.3") as hub:
        job = job_of_a_worker()

        def work() -> None:
            try:
                eventually(lambda: Job.objects.get(pk=job.pk).state == JobState.STOPPING)
                hub.run("INSERT INTO archive_extra (msg_id, node_id) VALUES (4, 2)")
                Job.objects.filter(pk=job.pk).update(state=JobState.STOPPED, lease_until=None)
            finally:
                connection.close()

        worker = threading.Thread(target=work)
        worker.start()
        with pytest.raises(CommandError, match="archived rows that only the console has: 1 in archive_extra"):
            detach()
        worker.join()
        assert current_attachment() is not None
        assert hub.run("SELECT msg_id, node_id FROM archive_extra") == [(4, 2)]
        assert "is as it was before" in detach("--discard-archive")
