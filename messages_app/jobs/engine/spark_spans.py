"""
Spans of a job's work on Spark, where telemetry is on.

Executors have no OpenTelemetry: they return when each of their tasks began and ended, and the worker sends a
span for each. In Spark's own pages, the work has the tag `trace-` with the id of the trace.

Source: docs/howto/opentelemetry.md.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Web processes set the tracer, and have no Spark.
    from pyspark.sql import SparkSession

    from spark_tasks.contract import TaskTimes

# OpenTelemetry's tracer, which hubconsole/telemetry/start.py sets: only the extra `otel` has its types.
tracer: Any = None


@contextmanager
def trace_spark(
    spark: "SparkSession", step: str, *, kind: str, chunks: int | None = None
) -> Iterator[Callable[[Sequence["TaskTimes"]], None]]:
    """
    Send a span for a step of a job's work, and yield a function that takes the times of its tasks.

    Args:
        step: the name of the span after `spark/`.
        kind: of the job.
        chunks: the number of chunks that the step may process.
    """
    if tracer is None:
        yield _forget_tasks
        return
    attributes: dict[str, str | int] = {"job.kind": kind}
    if chunks is not None:
        attributes["spark.chunks"] = chunks
    with tracer.start_as_current_span(f"spark/{step}", attributes=attributes) as span:
        tag = f"trace-{span.get_span_context().trace_id:032x}"
        spark.addTag(tag)
        try:
            yield lambda tasks: _send_tasks(span, tasks)
        finally:
            spark.removeTag(tag)


def _send_tasks(span: Any, tasks: Sequence["TaskTimes"]) -> None:
    span.set_attribute("spark.tasks", len(tasks))
    for task in tasks:
        attributes = {"spark.messages": task.decided}
        of_task = tracer.start_span("spark/task", start_time=task.began, attributes=attributes)
        of_task.end(end_time=task.ended)


def _forget_tasks(_: Sequence["TaskTimes"]) -> None:
    """Take the times of tasks where telemetry is off."""
