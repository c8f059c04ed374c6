import pytest

from messages_app.dashboard.guide import Guide, guide_for
from messages_app.dashboard.models import put_guide_away
from messages_app.messages.metrics.failing import FailingNow, GroupFailing
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def group(group_id: int, failing_now: int, state: str = "new") -> dict[str, object]:
    return {"group_id": group_id, "state": state, "failing_now": failing_now}


def failing(*group_ids: int) -> FailingNow:
    groups = {group_id: GroupFailing(messages=1, newest=group_id + 1_000) for group_id in group_ids}
    return FailingNow(count=len(groups), groups=groups)


class TestGuide:
    @pytest.mark.parametrize(
        ("groups", "failing_groups", "chosen"),
        [
            ([group(1, 5), group(2, 6)], (1, 2), 1),
            ([group(1, 5, "known"), group(2, 6, "regressed")], (1, 2), 2),
            ([group(1, 5), group(2, 6)], (2,), 2),
            ([group(1, 24), group(2, 100)], (1, 2), 2),
            ([group(1, 25), group(2, 100)], (1, 2), 1),
        ],
    )
    def test_is_about_the_most_urgent_group_that_is_not_small(self, groups, failing_groups, chosen):
        guide = guide_for(make_user(), groups, failing(*failing_groups))
        assert guide == Guide(
            group=next(one for one in groups if one["group_id"] == chosen), msg_id=chosen + 1_000
        )

    def test_needs_a_group_that_no_one_has_reviewed(self):
        user = make_user()
        assert guide_for(user, [group(1, 5, "known"), group(2, 5, "snoozed")], failing(1, 2)) is None
        assert guide_for(user, [group(1, 5)], failing()) is None
        assert guide_for(user, [], failing(1)) is None

    def test_is_for_each_user_until_it_is_closed(self):
        ana, ben = make_user(username="ana"), make_user(username="ben")
        put_guide_away(ana)
        assert guide_for(ana, [group(1, 5)], failing(1)) is None
        assert guide_for(ben, [group(1, 5)], failing(1)) is not None
