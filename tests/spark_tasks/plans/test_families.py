"""The plan for the families of a few messages: by one task, and by Spark's joins."""

import datetime as dt
import random

import pytest
from django.utils import timezone

from messages_app.messages.models import Message
from messages_app.shared.message_states import FINAL_STATES, MessageState
from spark_tasks.plans import families, selection
from spark_tasks.plans.archive import plan_bounds, planned_rows
from spark_tasks.plans.families import closed_families
from spark_tasks.plans.selection import TooMany
from spark_tasks.session import spark_session
from tests.spark_tasks.moves.scenes import executor
from tests.spark_tasks.plans.test_archive import message, scope
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)

AGES = {
    "final_states": sorted(FINAL_STATES),
    "cutoff": (timezone.now() - dt.timedelta(days=60)).isoformat(),
    "last_msg_id": 10**9,
}


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def planned(*finals: int, **ages: object) -> dict[int, tuple]:
    """Return (root, state, reason) by message."""
    with executor() as connection:
        rows = closed_families(connection, dict.fromkeys(finals, "OK"), ages=AGES | ages)
    assert {row[0] for row in rows} <= {"messages"}
    return {row[2]: (row[1], *row[3:]) for row in rows}


def young(state: str, **columns: object) -> int:
    now = timezone.now()
    return factories.make_message(
        state=state, receive_timestamp=now, last_process_timestamp=now, **columns
    ).msg_id


def let_follow(child: int, parent: int) -> None:
    Message.objects.filter(pk=child).update(parent_msg_id=parent)


class TestClosedFamilies:
    def test_treats_a_message_without_relatives_as_a_family(self):
        alone = message()

        assert planned(alone) == {alone: (alone, "OK", None)}

    def test_includes_parents_and_descendants_that_may_move(self):
        head = message(MessageState.CANCEL)
        parent = message(parent_msg_id=head)
        chosen, sister = message(parent_msg_id=parent), message(parent_msg_id=parent)

        assert planned(chosen) == {
            chosen: (head, "OK", None),
            head: (head, "CANCEL", None),
            parent: (head, "OK", None),
            sister: (head, "OK", None),
        }

    def test_leaves_a_family_if_a_member_is_in_progress(self):
        parent = message(MessageState.WAITING)
        child = message(parent_msg_id=parent)

        assert planned(child) == {child: (parent, "OK", "family_not_final")}

    def test_leaves_a_family_if_a_member_is_too_young(self):
        parent = message()
        young("OK", parent_msg_id=parent)

        assert planned(parent) == {parent: (parent, "OK", "family_too_young")}

    def test_names_the_member_in_progress_before_the_young_one(self):
        parent = message()
        young("OK", parent_msg_id=parent)
        young("PROCESSING", parent_msg_id=parent)

        assert planned(parent) == {parent: (parent, "OK", "family_not_final")}

    def test_leaves_a_member_that_arrived_after_the_set_was_frozen(self):
        parent = message()
        message(parent_msg_id=parent)

        assert planned(parent, last_msg_id=parent) == {parent: (parent, "OK", "family_too_young")}

    def test_leaves_messages_whose_parents_form_a_cycle(self):
        first, second, after = message(), message(), message()
        let_follow(first, second)
        let_follow(second, first)
        let_follow(after, first)

        assert planned(first, after) == {
            first: (first, "OK", "parent_cycle"),
            after: (after, "OK", "parent_cycle"),
        }

    def test_keeps_the_children_of_a_parent_that_no_longer_exists_together(self):
        gone = 10**9
        first, second = message(), message()
        let_follow(first, gone)
        let_follow(second, gone)

        assert planned(first) == {first: (gone, "OK", None), second: (gone, "OK", None)}

    def test_gives_up_on_a_large_family(self, monkeypatch):
        monkeypatch.setattr(families, "_MOST_MEMBERS", 4)
        parent = message()
        for _ in range(4):
            message(parent_msg_id=parent)

        with pytest.raises(TooMany):
            planned(parent)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [1, 2])
    def test_agrees_with_the_joins_of_spark_on_every_family(self, spark, seed):
        drawn = random.Random(seed)  # noqa: S311 - nothing is kept secret by it
        ids = [
            message(drawn.choices(["OK", "CANCEL", "FAILED", "WAITING"], [12, 2, 2, 1])[0])
            if drawn.random() < 0.95
            else young("OK")
            for _ in range(150)
        ]
        for child in drawn.sample(ids, 100):
            let_follow(child, drawn.choice([*ids[:40], 10**9]))
        let_follow(ids[0], ids[1])
        let_follow(ids[1], ids[0])
        asked = scope()
        finals = dict(
            Message.objects.filter(
                state__in=FINAL_STATES, last_process_timestamp__lt=asked.cutoff
            ).values_list("msg_id", "state")
        )
        with executor() as connection:
            looked_up = closed_families(connection, finals, ages=AGES | {"cutoff": asked.cutoff})

        joined = planned_rows(spark, scope=asked, bounds=plan_bounds(asked)).collect()
        assert {row[4] for row in looked_up} > {None, "family_not_final", "parent_cycle"}
        assert sorted(looked_up, key=str) == sorted((tuple(row) for row in joined), key=str)


class TestFewRows:
    def test_reads_only_as_much_as_it_needs(self, monkeypatch):
        monkeypatch.setattr(selection, "MOST", 2)
        read = []

        def part(number: int):
            def batches():
                read.append(number)
                yield selection.to_batch([(number,), (number,)], {"msg_id": "long"})

            return batches

        assert selection.few_rows([part(1)]) == [(1,), (1,)]
        with pytest.raises(TooMany):
            selection.few_rows([part(1), part(2), part(3)])
        assert read == [1, 1, 2]
