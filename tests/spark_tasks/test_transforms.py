"""The plan's DataFrame functions: a small frame in, the expected frame out."""

import random

import pytest

from messages_app.shared.message_states import FINAL_STATES
from spark_tasks.session import spark_session
from spark_tasks.transforms import decide_families, find_family_roots, find_outsiders, join_items
from tests.support.parameters import quick_first


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def rows(frame) -> set[tuple]:
    return {tuple(row) for row in frame.collect()}


def random_forest(*, size: int, seed: int) -> dict[int, int]:
    """Return the parent of each message that has one; parents come first, so none leads in a circle."""
    chosen = random.Random(seed)  # noqa: S311
    return {child: chosen.randrange(child) for child in range(1, size) if chosen.random() < 0.7}


def root_of(message: int, parents: dict[int, int]) -> int:
    while message in parents:
        message = parents[message]
    return message


class TestFamilyRoots:
    @pytest.mark.parametrize("seed", quick_first([1, 2]))
    def test_finds_the_head_of_every_member(self, spark, seed):
        parents = random_forest(size=400, seed=seed)
        links = spark.createDataFrame(list(parents.items()), "msg_id long, parent_msg_id long")

        members = set(parents) | set(parents.values())
        assert rows(find_family_roots(links)) == {(member, root_of(member, parents)) for member in members}

    @pytest.mark.slow
    def test_follows_a_long_chain(self, spark):
        links = spark.createDataFrame([(n + 1, n) for n in range(300)], "msg_id long, parent_msg_id long")

        assert rows(find_family_roots(links)) == {(n, 0) for n in range(301)}

    @pytest.mark.slow
    def test_leaves_the_head_of_a_cycle_and_its_descendants_empty(self, spark):
        links = spark.createDataFrame(
            [(1, 2), (2, 1), (3, 1), (5, 5), (8, 7)], "msg_id long, parent_msg_id long"
        )

        assert rows(find_family_roots(links)) == {(1, None), (2, None), (3, None), (5, None), (8, 7), (7, 7)}

    def test_is_empty_without_links(self, spark):
        assert rows(find_family_roots(spark.createDataFrame([], "msg_id long, parent_msg_id long"))) == set()


class TestOutsiders:
    def test_names_members_outside_the_set_of_families_with_one_inside(self, spark):
        finals = spark.createDataFrame([(1,), (2,), (9,)], "msg_id long")
        roots = spark.createDataFrame(
            [(1, 1), (2, 1), (3, 1), (10, 10), (11, 10), (5, None)], "msg_id long, root_msg_id long"
        )

        assert rows(find_outsiders(finals, roots)) == {(3, 1)}


class TestFamilyVerdicts:
    def test_distinguishes_unfinished_families_from_young_ones(self, spark):
        states = spark.createDataFrame(
            [(3, 1, "OK"), (4, 1, "WAITING"), (7, 6, "CANCEL")], "msg_id long, root_msg_id long, state string"
        )

        assert rows(decide_families(states, final_states=FINAL_STATES)) == {
            (1, "family_not_final"),
            (6, "family_too_young"),
        }


class TestPlannedItems:
    def test_returns_the_family_and_reason_of_each_message_of_the_set(self, spark):
        finals = spark.createDataFrame(
            [(1, "OK"), (2, "FAILED"), (5, "OK"), (9, "OK")], "msg_id long, state string"
        )
        roots = spark.createDataFrame([(1, 1), (2, 1), (3, 1), (5, None)], "msg_id long, root_msg_id long")
        verdicts = spark.createDataFrame([(1, "family_not_final")], "root_msg_id long, reason string")

        assert rows(join_items(finals, roots, verdicts)) == {
            (1, 1, "OK", "family_not_final"),
            (2, 1, "FAILED", "family_not_final"),
            (5, 5, "OK", "parent_cycle"),
            (9, 9, "OK", None),
        }
