"""Grouping history on Spark: as the pass groups new failures, and never one of them twice."""

import pytest

from messages_app.jobs.connections import database_dsn
from messages_app.messages.failures.models import FailureGroup, FailureMember, FailureMinute, NewFailure
from messages_app.messages.failures.services import group_new_failures
from messages_app.shared.failure_texts import failure_of
from spark_tasks.failure_groups import group_history
from spark_tasks.session import spark_session
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def make_history(count: int) -> None:
    """Store failures of three kinds, some archived."""
    for number in range(count):
        make = make_archived_message if number % 4 == 0 else make_message
        text = ("E103: order {} timed out", "E101: no '{}'", "E103: refused")[number % 3].format(number)
        make(state="FAILED", failed_error_code=text[:4], failed_desc=f"{text}\n\tat a.B(B.java:{number})")


def groups() -> set[tuple]:
    columns = ("fingerprint", "summary", "example", "failures", "first_seen", "last_seen", "state")
    return set(FailureGroup.objects.values_list(*columns))


class TestGroupHistory:
    def test_groups_like_the_pass(self, spark):
        make_history(30)
        make_message(state="OK", failed_desc="E103: went well in the end")
        group_new_failures()  # of the live ones, as they came
        NewFailure.objects.all().delete()
        assert group_history(spark, dsn=database_dsn()) == 8
        assert {failures for _, _, _, failures, *_ in groups()} == {10}
        assert FailureMember.objects.count() == 30
        assert sum(FailureMinute.objects.values_list("failures", flat=True)) == 30

    @pytest.mark.slow
    def test_finds_the_groups_that_the_pass_would(self, spark):
        make_message(
            state="FAILED", failed_desc="E103: order 7 timed out\n\tat a.B", failed_error_code="E103"
        )
        waiting = NewFailure.objects.values_list(
            "service_name", "operation_name", "failed_error_code", "text"
        ).get()
        NewFailure.objects.all().delete()  # as of a hub that failed before the console came
        group_history(spark, dsn=database_dsn())
        assert FailureGroup.objects.get().fingerprint == failure_of(*waiting).fingerprint

    @pytest.mark.slow
    def test_adds_nothing_the_second_time(self, spark):
        make_history(8)
        NewFailure.objects.all().delete()
        assert group_history(spark, dsn=database_dsn()) == 8
        before = groups()
        assert (group_history(spark, dsn=database_dsn()), groups()) == (0, before)

    def test_leaves_new_failures_to_the_pass(self, spark):
        make_message(state="FAILED", failed_desc="E103: refused")
        assert group_history(spark, dsn=database_dsn()) == 0
        assert group_new_failures() == 1
