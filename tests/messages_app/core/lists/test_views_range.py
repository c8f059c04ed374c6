"""The range of the chart of a list: up to now, not older than the oldest rows, and never empty."""

from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict

from messages_app.core.filters.table import filters_by_name, time_range
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.views import ListRequest

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
END = NOW + timedelta(seconds=1)


class Form(ListForm):
    filters = filters_by_name(*time_range("at"), *time_range("sent"))
    labels = {}
    field_names = ()


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


def range_of(**values: datetime) -> tuple[datetime, datetime]:
    request = ListRequest(form=Form(QueryDict("page_size=7&cursor=c"), allowed=()), values=values, now=NOW)
    return request.range_of("at", usual=timedelta(hours=24), longest=timedelta(days=30))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, (END - timedelta(hours=24), END), id="the usual length up to now"),
        pytest.param(
            {"at_to": ago(hours=2)}, (ago(hours=26), ago(hours=2)), id="the usual length up to an end"
        ),
        pytest.param({"at_from": ago(hours=3)}, (ago(hours=3), END), id="from a start to now"),
        pytest.param(
            {"at_from": ago(days=2), "at_to": ago(days=1)}, (ago(days=2), ago(days=1)), id="both ends"
        ),
        pytest.param({"at_to": ago(hours=-5)}, (END - timedelta(hours=24), END), id="an end in the future"),
        pytest.param({"at_from": ago(days=31)}, (ago(days=30), END), id="older than all rows"),
        pytest.param(
            {"at_to": ago(days=29, hours=12)},
            (ago(days=30), ago(days=29, hours=12)),
            id="begins with the rows",
        ),
        pytest.param(
            {"at_from": ago(seconds=59), "at_to": NOW}, (ago(seconds=60), NOW), id="less than a minute"
        ),
        pytest.param({"at_from": ago(seconds=60), "at_to": NOW}, (ago(seconds=60), NOW), id="a minute"),
        pytest.param({"at_from": ago(seconds=61), "at_to": NOW}, (ago(seconds=61), NOW), id="over a minute"),
        pytest.param(
            {"at_from": ago(days=90), "at_to": ago(days=60)},
            (ago(days=60, seconds=60), ago(days=60)),
            id="before all rows",
        ),
        pytest.param(
            {"sent_from": ago(hours=3), "sent_to": ago(hours=2)},
            (END - timedelta(hours=24), END),
            id="another time",
        ),
    ],
)
def test_is_limited_to_times_that_can_have_rows(values, expected):
    assert range_of(**values) == expected


def test_the_page_of_a_list_has_the_size_and_the_cursor_of_its_address():
    request = ListRequest(form=Form(QueryDict("page_size=7&cursor=c"), allowed=()), values={}, now=NOW)
    assert request.paging == {"cursor": "c", "page_size": 7}
