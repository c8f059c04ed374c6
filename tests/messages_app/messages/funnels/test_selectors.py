from datetime import timedelta

import pytest

from messages_app.core.problems import Problem
from messages_app.messages.funnels.filters import BY_MOST_WAITING, FunnelFilter
from messages_app.messages.funnels.selectors import funnel_page
from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel

pytestmark = pytest.mark.django_db


def values(filters: FunnelFilter | None = None, **options: object) -> list[str]:
    return [lane.value for lane in funnel_page(filters or FunnelFilter(), **options).rows]


class TestFunnelPage:
    def test_lists_the_longest_wait_first_and_lanes_without_a_wait_last(self):
        in_funnel("held", state="PROCESSING", ago=5 * MINUTE)
        in_funnel("short", ago=MINUTE)
        in_funnel("long", ago=4 * MINUTE)
        assert values() == ["long", "short", "held"]

    def test_lists_the_longest_line_first_if_requested(self):
        in_funnel("one", ago=4 * MINUTE)
        in_funnel("two"), in_funnel("two")
        assert values(FunnelFilter(ordering=BY_MOST_WAITING)) == ["two", "one"]

    def test_applies_the_filters(self):
        in_funnel("held", state="PROCESSING")
        in_funnel("7", ago=2 * MINUTE)
        in_funnel("7", funnel_component_id="g")
        assert values(FunnelFilter(blocked=True)) == ["7", "7"]
        assert values(FunnelFilter(value="held")) == ["held"]
        assert values(FunnelFilter(value="held", blocked=True)) == []
        assert values(FunnelFilter(component="g")) == ["7"]
        assert values(FunnelFilter(value="7")) == ["7", "7"]
        assert values(FunnelFilter(value="7", component="f")) == ["7"]
        assert values(FunnelFilter(value="nothing")) == []

    def test_finds_a_value_of_any_component_if_the_hub_ignores_components(self, settings):
        settings.HUB_RULES = "openhub"
        in_funnel("7", ago=2 * MINUTE)
        in_funnel("7", funnel_component_id="g")
        (lane,) = funnel_page(FunnelFilter(value="7")).rows
        assert len(lane.waiting) == 2

    def test_pages_both_ways(self):
        for number in range(5):
            in_funnel(str(number), ago=timedelta(minutes=9 - number))
        first = funnel_page(FunnelFilter(), page_size=2)
        second = funnel_page(FunnelFilter(), page_size=2, cursor=first.next_cursor)
        third = funnel_page(FunnelFilter(), page_size=2, cursor=second.next_cursor)
        assert [lane.value for page in (first, second, third) for lane in page.rows] == list("01234")
        assert (first.previous_cursor, third.next_cursor) == (None, None)
        assert values(page_size=2, cursor=third.previous_cursor) == ["2", "3"]
        assert (first.lanes_found, first.waiting_found) == (5, 5)

    def test_continues_after_its_cursor_if_earlier_lanes_appear(self):
        for number in range(3):
            in_funnel(str(number), ago=timedelta(minutes=9 - number))
        first = funnel_page(FunnelFilter(), page_size=2)
        in_funnel("older", ago=60 * MINUTE)
        assert values(page_size=2, cursor=first.next_cursor) == ["2"]

    def test_rejects_the_cursor_of_another_list(self):
        in_funnel("7"), in_funnel("8")
        cursor = funnel_page(FunnelFilter(), page_size=1).next_cursor
        for text in (cursor, "x"):
            with pytest.raises(Problem) as caught:
                funnel_page(FunnelFilter(ordering=BY_MOST_WAITING), cursor=text)
            assert caught.value.errors[0].field == "cursor"

    def test_does_not_query_the_database_more_often_for_more_lanes(self, django_assert_max_num_queries):
        for number in range(30):
            in_funnel(str(number))
            in_funnel(str(number), state="PROCESSING")
        with django_assert_max_num_queries(14):
            assert len(funnel_page(FunnelFilter()).rows) == 30
