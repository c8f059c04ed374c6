"""An archive job on a hub without the console's indexes: no message costs a scan of the table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attached.test_acting import ended
from tests.support import workers
from tests.support.api_client import caller
from tests.support.attached import AttachedHub, attached_hub

pytestmark = pytest.mark.slow

# Half of them are old enough, more than fit into a plan that looks up families one by one.
MESSAGES = 24_000
MAX_SCANS = 100
PLACES = """
SELECT count(*), count(DISTINCT msg_id), sum(msg_id)
  FROM (SELECT msg_id FROM {hub}.message UNION ALL SELECT msg_id FROM cold_message) AS every
"""
SCANS = "SELECT seq_scan FROM pg_stat_user_tables WHERE schemaname = '{hub}' AND relname = 'message'"


@pytest.fixture
def hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("CleverBus 2.0", messages=MESSAGES) as attached:
        yield attached


def test_scans_the_messages_a_limited_number_of_times(
    hub: AttachedHub, spark_remote: str, tmp_path: Path, settings
):
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path)
    worker = workers.launch("spark", 1, {"HUB_RULES": "", "HUBCONSOLE_ARCHIVE_URI": str(tmp_path)})
    before = hub.run(PLACES)
    try:
        api = caller("admin", "operator", username="grace")
        options = {"older_than_months": 1, "to": "parquet"}
        body = {"kind": "archive", "filter": {}, "options": options, "reason": "old"}
        job = ended(api, api.post("jobs/", body).json()["job_id"])
    finally:
        workers.kill(worker)
    assert job["done"] > 10_000
    assert before == [(MESSAGES, MESSAGES, before[0][2])]
    assert hub.run(PLACES) == before
    assert hub.run(SCANS)[0][0] < MAX_SCANS
