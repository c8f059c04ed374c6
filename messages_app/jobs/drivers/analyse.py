"""
The driver of jobs that compare failing messages with processed ones.

The plan freezes the failing messages. Executors compare them before the chunks, which only record the outcome
of each message. Source: docs/contributing/decisions/0041-analyses.md.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple

import psycopg
from pyspark.sql import SparkSession

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import (
    Driver,
    Note,
    filter_queries,
    last_id_of,
    plan_queries,
    queries_of_set,
)
from messages_app.jobs.models import Job
from messages_app.jobs.preview.pace import expected_duration
from messages_app.jobs.stores.messages import message_filter
from messages_app.messages.filters.message_filter import STATE
from messages_app.shared.job_records import ComparisonReport, JobFilter, JobReport, SetReport
from messages_app.shared.message_states import MessageState
from spark_tasks.actions.comparison import RecordCompared
from spark_tasks.analyses.analysis import Analysis, SampledSide, compare_sides
from spark_tasks.analyses.comparison import (
    MAX_PASSING,
    SHARES,
    Minute,
    choose_share,
    count_in_samples,
    plan_comparison,
    thin_samples,
)
from spark_tasks.analyses.counting import SparkSide
from spark_tasks.analyses.reading import count_failing, count_nearby, read_failing, read_passing
from spark_tasks.analyses.reports import write_finding
from spark_tasks.contract import JobKey
from spark_tasks.plans.selection import (
    read_selection,
    with_reasons,
    write_selection,
)
from spark_tasks.ranges import Reading
from spark_tasks.set_summary import SummaryOptions, summarise_set

FINDINGS: Final = "findings"
# Messages that a task reads between two checks whether the job was stopped.
_CHUNK_MESSAGES = 10_000


class Analysing(Driver):
    """Finds what failing messages have in common. Changes no message."""

    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_selection(spark, key=key, queries=queries_of_set(job), chunk_size=_CHUNK_MESSAGES)

    def preview(self, spark: SparkSession, *, job: Job) -> SetReport:
        messages = read_selection(spark, dsn=database_dsn(), queries=queries_of_set(job))
        summary = summarise_set(
            with_reasons(messages, allowed=None), options=SummaryOptions(dsn=database_dsn())
        )
        return summary | expected_duration(job, summary)

    def study_set(self, spark: SparkSession, *, key: JobKey, job: Job, note_report: Note) -> JobReport:
        if FINDINGS in job.report:
            return {}
        tag = f"analysis-{job.pk}-{key.attempt}"
        spark.addTag(tag)
        try:
            return _compare_set(spark, job, note_report)
        except BaseException:
            with suppress(Exception):  # Spark may be the reason.
                spark.interruptTag(tag)
            raise
        finally:
            spark.removeTag(tag)

    def make_action(self, job: Job) -> RecordCompared:
        return RecordCompared()

    def finish(self, job: Job) -> JobReport:
        """A job without messages has compared nothing."""
        return {} if FINDINGS in job.report else {"findings": []}


class _Passing(NamedTuple):
    """
    The processed messages to compare with.

    Args:
        read: reads a share of them.
        messages: their approximate number.
        uncompared: failing messages of services that processed nothing.
        days: the days before and after the failing messages from which some are.
        archived: about as many of them are archived.
    """

    read: Callable[[int], Reading]
    messages: int
    uncompared: int = 0
    days: int = 0
    archived: int = 0


def _compare_set(spark: SparkSession, job: Job, note_report: Note) -> JobReport:
    dsn, queries = database_dsn(), plan_queries(job, messages_a_task=_CHUNK_MESSAGES)
    minutes = count_failing(spark, dsn=dsn, queries=queries)
    if not minutes:
        return {"findings": []}
    failing = minutes.total()
    passing = _choose_passing(spark, job, minutes)
    progress = _Progress(note_report, failing + passing.messages)
    analysis = compare_sides(
        SampledSide(
            *(
                SparkSide(read_failing(spark, dsn=dsn, queries=queries, share=share), progress.add_messages)
                for share in (SHARES, choose_share(failing))
            )
        ),
        SampledSide(
            *(
                SparkSide(passing.read(share), progress.add_messages)
                for share in (SHARES, choose_share(passing.messages))
            )
        ),
    )
    return {
        "findings": [write_finding(each) for each in analysis.findings],
        "comparison": _describe_comparison(analysis, minutes, passing),
    }


def _describe_comparison(
    analysis: Analysis, minutes: Mapping[Minute, int], passing: _Passing
) -> ComparisonReport:
    seconds = [minute.second for minute in minutes]
    return {
        "failing": analysis.failing,
        "passing": analysis.passing,
        "services": sorted({minute.service_name for minute in minutes}),
        "start": _write_time(min(seconds)),
        "end": _write_time(max(seconds) + 60),
        "uncompared": passing.uncompared,
        "days": passing.days,
        "archived": passing.archived,
        "unreadable": analysis.unreadable,
        "comparisons": analysis.comparisons,
        "is_comparable": analysis.is_comparable,
    }


def _write_time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


class _Progress:
    """Counts the messages that were read."""

    def __init__(self, note: Note, total: int) -> None:
        self.messages = 0
        self._note, self._total = note, total

    def add_messages(self, number: int) -> None:
        self.messages += number
        # Each side may be read twice: a sample for candidates, then all messages.
        self._note({"read": self.messages, "to_read": max(self._total, self.messages)})


def _choose_passing(spark: SparkSession, job: Job, failing: Mapping[Minute, int]) -> _Passing:
    dsn = database_dsn()
    if job.options.get("compare_with"):
        queries = filter_queries(message_filter(_compared_filter(job)), last_id_of(job))
        messages = count_failing(spark, dsn=dsn, queries=queries).total()
        most = min(SHARES, SHARES * MAX_PASSING // max(1, messages))
        return _Passing(
            lambda share: read_failing(spark, dsn=dsn, queries=queries, share=max(1, most * share // SHARES)),
            messages * most // SHARES,
        )
    with psycopg.connect(dsn) as hub:
        nearby = count_nearby(hub, failing)
    comparison = plan_comparison(failing, nearby.passing)
    archived = {minute.service_name for minute in nearby.archived}
    return _Passing(
        lambda share: read_passing(
            spark, dsn=dsn, samples=thin_samples(comparison.samples, share), archived=archived
        ),
        comparison.messages,
        comparison.uncompared,
        nearby.days,
        count_in_samples(nearby.archived, comparison.samples),
    )


def _compared_filter(job: Job) -> JobFilter:
    """Return the filter of the messages to compare with: processed ones, unless it names states."""
    return {STATE: MessageState.OK, **(job.options.get("compare_with") or {})}
