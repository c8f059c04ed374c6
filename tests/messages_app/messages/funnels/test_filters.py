import pytest
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.messages.funnels.filters import BY_MOST_WAITING, FunnelFilter, parse_funnel_filter


class TestParse:
    def test_reads_every_filter(self):
        filters = parse_funnel_filter(
            QueryDict("value=7&component=f&blocked=true&ordering=most&cursor=x&page_size=5")
        )
        assert filters == FunnelFilter(value="7", component="f", blocked=True, ordering=BY_MOST_WAITING)

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("zzz=1", "zzz"),
            ("value=", "value"),
            (f"value={'v' * 51}", "value"),
            ("blocked=1", "blocked"),
            ("ordering=-msg_id", "ordering"),
            ("value=1&value=2", "value"),
            ("component=%00", "component"),
        ],
    )
    def test_rejects_unknown_parameters_and_values(self, query, field):
        with pytest.raises(Problem) as caught:
            parse_funnel_filter(QueryDict(query))
        assert (caught.value.status, caught.value.errors[0].field) == (400, field)


class TestFunnelFilter:
    def test_writes_the_same_filter_the_same_way(self):
        assert FunnelFilter().as_query() == "ordering=longest"
        assert FunnelFilter(blocked=True, value="a b").as_query() == "value=a+b&blocked=true&ordering=longest"
