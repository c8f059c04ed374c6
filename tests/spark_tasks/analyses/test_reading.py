"""Reading both sides from PostgreSQL on executors, and their comparison as a whole."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.messages.models import Message
from spark_tasks.analyses.analysis import SampledSide, compare_sides
from spark_tasks.analyses.comparison import SHARES, Minute, Sample, plan_comparison
from spark_tasks.analyses.counting import SparkSide
from spark_tasks.analyses.message_facts import MAX_TEXT_BYTES, MESSAGE_COLUMNS
from spark_tasks.analyses.reading import count_failing, count_passing, read_failing, read_passing
from spark_tasks.analyses.sentences import write_sentence
from spark_tasks.session import spark_session
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db(transaction=True)

START = datetime(2026, 11, 20, 10, tzinfo=UTC)
SECOND = int(START.timestamp())
FAILED = (
    "SELECT msg_id, state, service_name, failed_error_code, funnel_component_id FROM message"
    " WHERE state = 'FAILED' AND msg_id %% 2 = %s"
)
QUERIES = [(FAILED, (0,)), (FAILED, (1,))]


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def make_in(
    minute: int, *, service_name: str = "billing", state: str = "OK", payload: str = "<a/>", **columns
):
    received = START + timedelta(minutes=minute)
    return make_message(
        service_name=service_name, state=state, payload=payload, receive_timestamp=received, **columns
    )


class TestReadFailing:
    def test_reads_each_message_of_all_queries_with_texts_up_to_their_limit(self, spark):
        make_in(0, state="FAILED", payload="x" * MAX_TEXT_BYTES, envelope="<e/>", guaranteed_order=True)
        make_in(0, state="FAILED", payload="x" * (MAX_TEXT_BYTES + 1), envelope=None)
        make_in(0)

        rows = read_failing(spark, dsn=database_dsn(), queries=QUERIES).collect()

        assert list(rows[0].asDict()) == list(MESSAGE_COLUMNS)
        read = {
            (row.payload and len(row.payload), row.payload_bytes, row.envelope, row.guaranteed_order)
            for row in rows
        }
        assert read == {
            (MAX_TEXT_BYTES, MAX_TEXT_BYTES, "<e/>", "true"),
            (None, MAX_TEXT_BYTES + 1, None, "false"),
        }

    def test_reads_a_share_by_ids(self, spark):
        for _ in range(20):
            make_in(0, state="FAILED")
        share = sorted(msg_id % SHARES for msg_id in Message.objects.values_list("pk", flat=True))[10]

        rows = read_failing(spark, dsn=database_dsn(), queries=QUERIES, share=share).collect()

        assert len(rows) == 10


class TestReadPassing:
    def test_reads_processed_messages_of_each_sample_and_no_others(self, spark):
        make_in(0, object_id="in time")
        make_in(1, object_id="too late")
        make_in(0, object_id="failed", state="FAILED")
        make_in(0, object_id="of another service", service_name="order")
        make_in(5, object_id="of the second sample")
        samples = [
            Sample("billing", SECOND, SECOND + 60, SHARES),
            Sample("billing", SECOND + 300, SECOND + 360, SHARES),
        ]

        rows = read_passing(spark, dsn=database_dsn(), samples=samples).collect()

        assert {row.object_id for row in rows} == {"in time", "of the second sample"}

    def test_reads_the_share_of_a_sample_by_ids(self, spark):
        for _ in range(20):
            make_in(0)
        share = sorted(msg_id % SHARES for msg_id in Message.objects.values_list("pk", flat=True))[5]

        rows = read_passing(
            spark, dsn=database_dsn(), samples=[Sample("billing", SECOND, SECOND + 60, share)]
        ).collect()

        assert len(rows) == 5


class TestCounts:
    def test_count_both_sides_by_service_and_minute(self, spark):
        make_in(0, state="FAILED")
        make_in(0, state="FAILED")
        make_in(3, state="FAILED", service_name="order")
        make_in(0)
        make_in(3, service_name="order")
        make_in(4, service_name="order")

        failing = count_failing(spark, dsn=database_dsn(), queries=QUERIES)
        with psycopg.connect(database_dsn()) as connection:
            passing = count_passing(connection, ["billing", "order"], SECOND, SECOND + 240)

        assert failing == Counter({Minute("billing", SECOND): 2, Minute("order", SECOND + 180): 1})
        assert passing == Counter({Minute("billing", SECOND): 1, Minute("order", SECOND + 180): 1})


def test_failures_in_two_services_have_in_common_what_does_not_depend_on_the_service(spark):
    for number in range(60):
        service_name = ("billing", "order")[number % 3 == 0]
        root = {"billing": "Invoice", "order": "Order"}[service_name]
        for state, currency in (("FAILED", "CHF"), ("OK", "EUR"), ("OK", "USD")):
            make_in(
                number % 5,
                state=state,
                service_name=service_name,
                payload=f'<{root}><Amount currency="{currency}">{number}.00</Amount></{root}>',
                source_system="CRM" if currency == "CHF" else "ERP",
                failed_error_code="E103" if state == "FAILED" else None,
                failed_count=3 if state == "FAILED" else 0,
            )
    # The other service is far more frequent among the processed messages.
    for number in range(400):
        make_in(
            number % 5,
            service_name="order",
            payload="<Order><Amount currency='EUR'>1</Amount></Order>",
            source_system="ERP",
        )
    dsn = database_dsn()

    failing = count_failing(spark, dsn=dsn, queries=QUERIES)
    with psycopg.connect(dsn) as connection:
        passing = count_passing(connection, ["billing", "order"], SECOND, SECOND + 300)
    comparison = plan_comparison(failing, passing)
    sides = (
        SparkSide(read_failing(spark, dsn=dsn, queries=QUERIES), lambda _: None),
        SparkSide(read_passing(spark, dsn=dsn, samples=comparison.samples), lambda _: None),
    )
    analysis = compare_sides(*(SampledSide(side, side) for side in sides))

    assert len(analysis.findings) == 1
    assert write_sentence(analysis.findings[0]).startswith(
        f"All 60 have source system CRM; none of the {analysis.passing} processed ones does ("
    )
