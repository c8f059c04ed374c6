"""
Spans of a job's work on Spark, where telemetry is on.

Executors have no OpenTelemetry: they return when each of their tasks began and ended, and the worker sends a
span for each. They are given the id of the trace: it is in the name of their connections to PostgreSQL and,
behind `trace-`, in a tag of the work in Spark's own pages.

Source: docs/howto/opentelemetry.md.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from psycopg.conninfo import make_conninfo

if TYPE_CHECKING:  # Web processes set the tracer before models are loaded, and have no Spark.
    from pyspark.sql import SparkSession

    from messages_app.jobs.models import Job
    from spark_tasks.contract import TaskTimes

# OpenTelemetry's tracer, which hubconsole/telemetry/start.py sets: only the extra `otel` has its types.
tracer: Any = None

# Of the connections of executors (spark_tasks/database.py).
_APPLICATION = "hubconsole-executor"


class SparkStep:
    """
    A step of a job's work on Spark.

    Args:
        span: None where telemetry is off.
    """

    def __init__(self, span: Any = None) -> None:
        self._span = span
        self.trace_id = f"{span.get_span_context().trace_id:032x}" if span else ""

    def name_connections(self, dsn: str) -> str:
        """Return the address of the database for executors, which name their connections after the trace."""
        if not self.trace_id:
            return dsn
        return make_conninfo(dsn, application_name=f"{_APPLICATION} {self.trace_id}")

    def send_tasks(self, tasks: Sequence["TaskTimes"]) -> None:
        """Send a span for each task of this step."""
        if not self._span:
            return
        self._span.set_attribute("spark.tasks", len(tasks))
        for task in tasks:
            attributes = {"spark.messages": task.decided}
            span = tracer.start_span("spark/task", start_time=task.began, attributes=attributes)
            span.end(end_time=task.ended)


@contextmanager
def trace_spark(
    spark: "SparkSession", step: str, job: "Job", *, chunks: int | None = None
) -> Iterator[SparkStep]:
    """
    Send a span for a step of a job's work.

    Args:
        step: the name of the span after `spark/`.
        chunks: the number of chunks that the step may process.
    """
    if tracer is None:
        yield SparkStep()
        return
    attributes: dict[str, str | int] = {"job.id": job.pk, "job.kind": job.kind}
    if chunks is not None:
        attributes["spark.chunks"] = chunks
    with tracer.start_as_current_span(f"spark/{step}", attributes=attributes) as span:
        traced = SparkStep(span)
        tag = f"trace-{traced.trace_id}"
        spark.addTag(tag)
        try:
            yield traced
        finally:
            spark.removeTag(tag)
