"""The minutes of a cell belong to one incident at most, and fixed ranges win over new ones."""

import pytest

from messages_app.incidents.ranges import Range, cut_range, find_taker, plan_changes


def make_range(incident_id: int, first: int, last: int, *, pinned_by: str = "", cell_id: int = 1) -> Range:
    return Range(incident_id, cell_id, first, last, "system", "high", pinned_by, incident_id)


def plan_ranges(stored, gathered, *, present=(1, 2, 3), matched=(), start=0):
    """Return the (incident, first, last) of the cell after the changes, sorted."""
    changes = plan_changes(stored, gathered, present=present, matched=matched, start=start)
    after = {key: one for key, one in stored.items() if key not in changes.deleted} | dict(changes.updated)
    return sorted((one.incident_id, one.first, one.last) for one in [*after.values(), *changes.added])


class TestPlanChanges:
    def test_extends_the_range_of_an_incident(self):
        assert plan_ranges({7: make_range(1, 10, 20)}, [make_range(1, 10, 25)], matched=[1]) == [(1, 10, 25)]

    def test_changes_nothing_if_nothing_changed(self):
        one = make_range(1, 10, 20)
        changes = plan_changes({7: one}, [one], present=[1], matched=[1], start=0)
        assert (changes.deleted, changes.updated, changes.added) == ([], [], [])

    def test_drops_what_a_match_does_not_have(self):
        assert plan_ranges({7: make_range(1, 10, 20)}, [], matched=[1]) == []

    def test_keeps_what_began_before_the_window(self):
        stored = {7: make_range(1, 10, 200)}
        assert plan_ranges(stored, [make_range(1, 150, 300)], matched=[1], start=100) == [(1, 10, 300)]

    def test_keeps_an_incident_without_a_match_except_minutes_of_another_one(self):
        stored = {7: make_range(1, 10, 30)}
        assert plan_ranges(stored, [make_range(2, 15, 20)], matched=[2]) == [
            (1, 10, 14),
            (1, 21, 30),
            (2, 15, 20),
        ]

    @pytest.mark.parametrize("fixed", ["pinned", "ended"])
    def test_leaves_pinned_ranges_and_those_of_incidents_that_ended_long_ago(self, fixed):
        old = make_range(1, 10, 20, pinned_by="ana" if fixed == "pinned" else "")
        present = (1, 2) if fixed == "pinned" else (2,)
        after = plan_ranges({7: old}, [make_range(2, 5, 25)], present=present, matched=[1, 2])
        assert after == [(1, 10, 20), (2, 5, 9), (2, 21, 25)]

    def test_prefers_a_decision_of_a_person_among_new_ranges(self):
        new = [make_range(2, 10, 30), make_range(3, 15, 20, pinned_by="ana")]
        assert plan_ranges({}, new, matched=[2, 3]) == [(2, 10, 14), (2, 21, 30), (3, 15, 20)]

    def test_changes_only_ranges_of_the_same_cell(self):
        stored = {7: make_range(1, 10, 20, cell_id=2)}
        assert plan_ranges(stored, [make_range(2, 10, 20)], matched=[2]) == [(1, 10, 20), (2, 10, 20)]


class TestCutRange:
    @pytest.mark.parametrize(
        ("other", "parts"),
        [
            ((1, 9), [(10, 20)]),
            ((1, 10), [(11, 20)]),
            ((12, 15), [(10, 11), (16, 20)]),
            ((20, 30), [(10, 19)]),
            ((21, 30), [(10, 20)]),
            ((5, 25), []),
        ],
    )
    def test_leaves_the_minutes_of_no_other(self, other, parts):
        cut = cut_range(make_range(1, 10, 20), [make_range(2, *other)])
        assert [(one.first, one.last) for one in cut] == parts


def test_the_taker_has_most_of_the_minutes():
    old = [make_range(1, 10, 20)]
    assert find_taker(old, [make_range(2, 1, 12), make_range(3, 13, 30)]) == 3
    assert find_taker(old, [make_range(2, 21, 30), make_range(3, 10, 20, cell_id=2)]) is None
