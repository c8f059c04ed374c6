"""
A kind of job that the product does not have, defined by the recipe "Add a job kind" in
docs/contributing/recipes.md.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import psycopg
from django import forms
from pyspark.sql import DataFrame, SparkSession

from messages_app.access import roles
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.drivers.driver import Driver
from messages_app.jobs.drivers.item_queries import set_queries
from messages_app.jobs.drivers.registry import DRIVERS
from messages_app.jobs.kinds.option_checks import check_months
from messages_app.jobs.kinds.options import Option, whole_number
from messages_app.jobs.kinds.registry import kind_specs, rivals_of
from messages_app.jobs.kinds.spec import KindSpec, KindWords, Rows
from messages_app.jobs.models import Job
from spark_tasks.contract import Action, Decided, Item, JobKey
from spark_tasks.plans.plans import write_plan
from spark_tasks.plans.selection import plan_rows, read_selection, with_reasons
from spark_tasks.set_summary import SummaryOptions, summarise_set

KIND = "weigh"

DEPTH = Option(
    fault=check_months,
    shape={"type": "integer", "minimum": 1, "maximum": 1200},
    label="Depth",
    default=3,
    field=lambda: forms.IntegerField(label="Depth of the scales", initial=3),
    argument={"type": whole_number, "help": "of the scales"},
)

SPEC = KindSpec(
    kind=KIND,
    words=KindWords(verb="Weigh", done="weighed", doing="Weighing", icon="search"),
    permission=roles.CAN_CANCEL,
    options={"depth": DEPTH},
    rows=Rows.LIVE,
    undone_by=KIND,
)


class Weighing(Driver):
    def plan(self, spark: SparkSession, *, key: JobKey, job: Job) -> int:
        return write_plan(plan_rows(_judged(spark, job)), key=key, chunk_size=2)

    def preview(self, spark: SparkSession, *, job: Job) -> dict[str, object]:
        return summarise_set(
            _judged(spark, job), options=SummaryOptions(dsn=database_dsn(), rivals=rivals_of(KIND))
        )

    def action(self, job: Job) -> Action:
        class Weigh:
            """Defined here so that it is pickled completely, because executors do not have the tests."""

            new_state = None
            may_be_repeated = True

            def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
                return Decided(details={"weighed": [item.msg_id for item in items]})

        return Weigh()

    def finish(self, job: Job) -> dict[str, object]:
        return {"depth": job.options["depth"]} if job.undo_of is None else {}


def _judged(spark: SparkSession, job: Job) -> DataFrame:
    return with_reasons(read_selection(spark, dsn=database_dsn(), queries=set_queries(job)), allowed=None)


@contextmanager
def registered(**changes: object) -> Iterator[None]:
    """
    Register the kind for a while: one record, and one driver by its name.

    Args:
        changes: fields of the record that differ from SPEC.
    """
    before = kind_specs.get(KIND), DRIVERS.get(KIND)
    kind_specs[KIND], DRIVERS[KIND] = replace(SPEC, **changes), Weighing()
    try:
        yield
    finally:
        for registry, value in zip((kind_specs, DRIVERS), before, strict=True):
            del registry[KIND]
            if value is not None:
                registry[KIND] = value
