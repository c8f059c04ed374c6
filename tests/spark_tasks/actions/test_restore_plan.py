"""Restore plans: the heads and members of families, and the reasons of families that stay."""

import pyarrow as pa
import pytest

from spark_tasks.actions import restore_plan
from spark_tasks.actions.restore_plan import family_reasons, head_of, heads_of, members_of
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.spark_tasks.moves.scenes import executor
from tests.support.factories import make_archived_message, make_message


class TestHeadOf:
    @pytest.mark.parametrize(
        ("msg_id", "head"),
        [(1, 1), (3, 1), (5, 4), (6, 6), (8, 7), (9, 7), (10, 7), (99, 99)],
    )
    def test_is_the_topmost_archived_ancestor_or_the_smallest_id_of_a_cycle(self, msg_id, head):
        parents = {1: None, 2: 1, 3: 2, 4: 50, 5: 4, 6: 6, 7: 9, 8: 7, 9: 8, 10: 9}
        assert head_of(msg_id, parents) == head


class TestFamilyReasons:
    def test_keep_whole_families_and_name_the_conflict_of_each_member_that_has_one(self):
        roots = {1: 1, 2: 1, 3: 1, 4: 4, 5: 4, 6: 6}
        assert family_reasons(roots, {2: "msg_id_live", 3: "external_call_live", 6: "msg_id_live"}) == {
            1: "family_stays",
            2: "msg_id_live",
            3: "external_call_live",
            6: "msg_id_live",
        }


@pytest.mark.django_db(transaction=True)
class TestMembersOf:
    @pytest.fixture(autouse=True)
    def families(self, monkeypatch) -> None:
        """Archive families over tables and files, and store live relatives."""
        monkeypatch.setattr(restore_plan, "_LOOK_UP", 2)
        make_archived_message(msg_id=11, state="FAILED")
        make_cold_message(12, parent_msg_id=11, state="CANCEL")
        make_archived_message(msg_id=13, parent_msg_id=12)
        make_archived_message(msg_id=14, parent_msg_id=11, state="CANCEL")
        make_message(msg_id=15, parent_msg_id=11), make_message(msg_id=20)
        make_cold_message(21, parent_msg_id=20)
        make_archived_message(msg_id=31, parent_msg_id=32), make_cold_message(32, parent_msg_id=31)
        make_archived_message(msg_id=41)

    def test_are_all_archived_descendants_with_their_head(self):
        with executor() as session:
            assert heads_of(session, [13, 14, 21, 32, 41]) == {11, 21, 31, 41}
            states, roots = members_of(session, [11, 21, 31])
        assert states == {11: "FAILED", 12: "CANCEL", 13: "OK", 14: "CANCEL", 21: "OK", 31: "OK", 32: "OK"}
        assert roots == {11: 11, 12: 11, 13: 11, 14: 11, 21: 21, 31: 31, 32: 31}

    def test_become_rows_of_the_plan_with_the_reason_to_stay(self):
        make_message(msg_id=13, correlation_id="other"), make_message(msg_id=41, correlation_id="x")
        with executor() as session:
            rows = restore_plan._rows_of_families(session, [11, 21, 41])
        assert sorted(rows) == [
            ("messages", 11, 11, "FAILED", "family_stays"),
            ("messages", 11, 12, "CANCEL", "family_stays"),
            ("messages", 11, 13, "OK", "msg_id_live"),
            ("messages", 11, 14, "CANCEL", "family_stays"),
            ("messages", 21, 21, "OK", None),
            ("messages", 41, 41, "OK", "msg_id_live"),
        ]

    def test_that_are_no_longer_archived_are_live_or_have_vanished(self):
        missing = pa.RecordBatch.from_pydict({"id": [15, 999], "state": ["OK", "FAILED"]})
        with executor() as session:
            rows = restore_plan._explain_missing(session, missing).to_pylist()
        assert [tuple(row.values()) for row in rows] == [
            ("messages", 15, 15, "OK", "msg_id_live"),
            ("messages", 999, 999, "FAILED", "vanished"),
        ]
