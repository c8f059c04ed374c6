"""The spans themselves are received in tests/hubconsole/telemetry/test_start.py."""

from messages_app.jobs.engine.spark_spans import trace_spark
from messages_app.jobs.models import Job
from spark_tasks.contract import TaskTimes


class UntouchedSpark:
    """A session that no one uses: each call would be an AttributeError."""


class TestTraceSpark:
    def test_does_nothing_where_telemetry_is_off(self):
        with trace_spark(UntouchedSpark(), "chunks", Job(kind="cancel"), chunks=1) as step:
            step.send_tasks([TaskTimes(began=1, ended=2, decided=3)])
            assert step.name_connections("host=db") == "host=db"
