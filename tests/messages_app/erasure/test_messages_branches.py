"""The branches of messages that an erasure keeps, and the end of an unfinished message."""

import pytest

from messages_app.erasure.messages import ARCHIVED, COLD, LIVE, _Branches, _way_out

# Message 1 has the children 2 and 3, and 4 is below 2. Messages 1 and 3 have the key, and another message 1
# in the archive.
ONE, TWO, THREE, FOUR, OLD = (LIVE, 1), (ARCHIVED, 2), (LIVE, 3), (COLD, 4), (ARCHIVED, 1)
BRANCHES = _Branches(
    members={ONE: {ONE, TWO, THREE, FOUR}, THREE: {THREE}, OLD: {OLD}},
    depths={ONE: 0, TWO: 1, THREE: 1, FOUR: 2, OLD: 0},
)


class TestBranches:
    @pytest.mark.parametrize(
        ("kept", "blocked", "going"),
        [
            ([], set(), [ONE, TWO, THREE, FOUR, OLD]),
            ([FOUR], {ONE}, [THREE, OLD]),
            ([THREE], {ONE, THREE}, [OLD]),
            ([OLD], {OLD}, [ONE, TWO, THREE, FOUR]),
            ([ONE, OLD], {ONE, OLD}, [THREE]),
        ],
    )
    def test_without_a_kept_message_are_erased(self, kept, blocked, going):
        assert BRANCHES.blocked_members(kept) == blocked
        assert BRANCHES.choose_removable(kept) == sorted(going)

    @pytest.mark.parametrize(("depth", "going"), [(0, [OLD, ONE]), (1, [TWO, THREE]), (2, [FOUR]), (3, [])])
    def test_are_erased_depth_by_depth(self, depth, going):
        assert BRANCHES.choose_removable([], depth) == going


@pytest.mark.parametrize(
    ("rules", "place", "state", "way"),
    [
        ("cleverbus", ARCHIVED, "POSTPONED", "restore it, and wait until it is final"),
        ("cleverbus", COLD, "PROCESSING", "restore it, and wait until it is final"),
        ("cleverbus", LIVE, "POSTPONED", "cancel it, or wait until it is final"),
        ("cleverbus", LIVE, "PROCESSING", "wait until it is final"),
        ("openhub", LIVE, "PROCESSING", "cancel it, or wait until it is final"),
    ],
)
def test_an_unfinished_message_ends_as_the_rules_of_the_hub_allow(settings, rules, place, state, way):
    settings.HUB_RULES = rules
    assert _way_out(place, state) == way
