"""Each condition of the statements of a family has a row that only it leaves out."""

import pytest

from messages_app.messages.detail.children import statements
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db

FIRSTS = {f"first_{part}": 0 for part in range(6)}


def member(msg_id: int, parent: int | None = None, *, is_archived: bool = False, **columns: object) -> int:
    """Store a message whose columns differ from those of every other one."""
    make = make_archived_message if is_archived else make_message
    names = {
        "service_name": f"service {msg_id}",
        "operation_name": f"operation {msg_id}",
        "parent_binding_type": None if parent is None else ("SOFT" if msg_id % 2 else "HARD"),
    }
    make(msg_id=msg_id, parent_msg_id=parent, **{"state": "OK"} | names | columns)
    return msg_id


class TestAncestors:
    def line(self, msg_id: int, most: int = 9) -> list[tuple[object, ...]]:
        return statements.fetch_rows("ancestors", {"msg_id": msg_id, "most": most})

    def test_are_read_from_both_tables_with_their_own_columns(self):
        member(11, state="WAITING")
        member(12, 11, is_archived=True)
        member(13, 12, state="FAILED")
        member(14, 12)
        assert self.line(13) == [
            (13, 12, "SOFT", "FAILED", "service 13", "operation 13", False),
            (12, 11, "HARD", "OK", "service 12", "operation 12", True),
            (11, None, None, "WAITING", "service 11", "operation 11", False),
        ]

    def test_begin_with_an_archived_message(self):
        member(11, is_archived=True)
        assert [(row[0], row[6]) for row in self.line(11)] == [(11, True)]

    def test_end_at_a_limit_a_missing_parent_and_a_circle(self):
        for msg_id in range(11, 17):
            member(msg_id, msg_id + 1)
        assert [row[0] for row in self.line(11, most=2)] == [11, 12, 13]
        assert [row[0] for row in self.line(11)] == [11, 12, 13, 14, 15, 16]
        member(17, 13)
        assert [row[0] for row in self.line(11)] == [11, 12, 13, 14, 15, 16, 17]


class TestFamily:
    def family(self, root: int, most: int = 99) -> list[tuple[object, ...]]:
        return sorted(statements.fetch_rows("family", {"root": root, "most": most}))

    def test_has_all_levels_from_both_tables_and_no_other_message(self):
        member(11, state="WAITING")
        member(12, 11, is_archived=True)
        member(13, 12, state="FAILED")
        member(14, 13, is_archived=True)
        member(15)
        member(16, 15)
        member(17, 15, is_archived=True)
        assert self.family(11) == [
            (11, None, "WAITING", None, False, 0),
            (12, 11, "OK", "HARD", True, 1),
            (13, 12, "FAILED", "SOFT", False, 2),
            (14, 13, "OK", "HARD", True, 3),
        ]
        assert len(self.family(11, most=3)) == 3

    @pytest.mark.parametrize("is_archived", [False, True])
    def test_has_a_root_in_a_circle_once(self, is_archived):
        member(11, 12, is_archived=is_archived)
        member(12, 11, is_archived=is_archived)
        assert [row[0] for row in self.family(11)] == [11, 12]


class TestChildren:
    def children(self, *parents: int, **values: object) -> list[tuple[object, ...]]:
        defaults = {
            "failed": ["FAILED", "PARTLY_FAILED"],
            "failed_or_ok": ["FAILED", "PARTLY_FAILED", "OK"],
            "ok": "OK",
            "part": 0,
            "most": 99,
        }
        return statements.fetch_rows("children", {"parents": list(parents)} | defaults | FIRSTS | values)

    @pytest.fixture(autouse=True)
    def _family(self):
        member(11)
        member(12)
        states = [("OK", 40), ("WAITING", 30), ("PARTLY_FAILED", 20), ("FAILED", 10)]
        for state, number in states:
            for is_archived in (True, False):
                for place in (0, 1):
                    member(100 + number + 4 * is_archived + place, 11, is_archived=is_archived, state=state)
        member(201, 12, state="FAILED")
        for place, (state, _) in enumerate(states):
            member(310 + place, 12, state=state)
            member(320 + place, 12, is_archived=True, state=state)

    def ids(self, *parents: int, **values: object) -> list[tuple[int, int]]:
        return [(row[1], row[2]) for row in self.children(*parents, **values)]

    def test_are_in_six_parts(self):
        assert self.ids(11) == [
            (0, 110),
            (0, 111),
            (0, 120),
            (0, 121),
            (1, 114),
            (1, 115),
            (1, 124),
            (1, 125),
            (2, 130),
            (2, 131),
            (3, 134),
            (3, 135),
            (4, 140),
            (4, 141),
            (5, 144),
            (5, 145),
        ]

    def test_have_their_own_columns_and_parent(self):
        rows = self.children(11, 12, most=1)
        assert rows == [
            (11, 0, 110, 11, "HARD", "FAILED", "service 110", "operation 110", False),
            (12, 0, 201, 12, "SOFT", "FAILED", "service 201", "operation 201", False),
        ]
        (archived,) = self.children(11, part=1, most=1)
        assert archived == (11, 1, 114, 11, "HARD", "FAILED", "service 114", "operation 114", True)

    @pytest.mark.parametrize("part", range(6))
    def test_begin_with_a_part_and_an_id(self, part):
        everything = self.ids(11)
        assert self.ids(11, part=part) == [line for line in everything if line[0] >= part]
        first = next(msg_id for of_part, msg_id in everything if of_part == part) + 1
        wanted = [line for line in everything if line[0] > part or (line[0] == part and line[1] >= first)]
        assert self.ids(11, part=part, **{f"first_{part}": first}) == wanted
        assert len(wanted) == len([line for line in everything if line[0] >= part]) - 1

    @pytest.mark.parametrize("part", range(6))
    def test_are_limited_in_number(self, part):
        assert len(self.ids(11, part=part, most=1)) == 1


class TestRollUps:
    def test_count_the_children_of_each_parent_by_state_up_to_its_own_limit(self):
        for parent in (11, 12, 13):
            member(parent)
        for place in range(3):
            member(110 + place, 11, state="FAILED")
            member(120 + place, 11, is_archived=True)
            member(130 + place, 12, state="WAITING")
            member(140 + place, 13)
        values = {"parents": [11, 12], "most": [9, 2]}
        assert sorted(statements.fetch_rows("rollups", values)) == [
            (11, "FAILED", 3),
            (11, "OK", 3),
            (12, "WAITING", 2),
        ]
        assert sorted(statements.fetch_rows("rollups", {"parents": [11], "most": [2]})) == [
            (11, "FAILED", 2),
            (11, "OK", 2),
        ]
