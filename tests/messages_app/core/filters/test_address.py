from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.filters import address
from messages_app.core.filters.table import Filter, filters_by_name, text_filter, time_range
from messages_app.core.filters.values import parse_choice
from messages_app.core.problems import Problem

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)
FILTERS = filters_by_name(
    Filter(name="state", lookup="", parse=parse_choice, choices=("OK", "NEW"), repeatable=True),
    text_filter("service_name", 30),
    text_filter("object_id", 50),
    *time_range("receive_timestamp"),
    *time_range("msg_timestamp"),
)


class TestTidied:
    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            ("service_name=&state=", ""),
            ("service_name=+billing+", "service_name=+billing+"),
            ("service_name=+++&object_id=a%09", "service_name=+++&object_id=a%09"),
            ("service_name=%E2%80%A9&object_id=%C2%A0x", "service_name=%E2%80%A9&object_id=%C2%A0x"),
            ("state=+OK+&ordering=+-msg_id", "state=OK&ordering=-msg_id"),
            ("state=OK&state=NEW", "state=OK%2CNEW"),
            ("receive_timestamp_from=2026-11-21", "receive_timestamp_from=2026-11-21T00%3A00Z"),
            ("receive_timestamp_to=2026-11-21", "receive_timestamp_to=2026-11-21T23%3A59%3A59.999999Z"),
            ("msg_timestamp_to=2026-11-21+03:04:05", "msg_timestamp_to=2026-11-21T03%3A04%3A05Z"),
            ("msg_timestamp_to=2026-11-21T03:04%2B01:00", "msg_timestamp_to=2026-11-21T03%3A04%2B01%3A00"),
            ("receive_timestamp_from=-02h", "receive_timestamp_from=-2h"),
            ("msg_timestamp_to=whenever", "msg_timestamp_to=whenever"),
            ("object_id=2026-11-21", "object_id=2026-11-21"),
            ("nope=1", "nope=1"),
        ],
    )
    def test_leaves_one_way_to_write_a_filter(self, sent, kept):
        tidy = address.tidy_params(QueryDict(sent), FILTERS, now=NOW)
        assert tidy.urlencode() == kept
        assert address.tidy_params(tidy, FILTERS, now=NOW) == tidy


class TestMomentOf:
    def test_is_what_the_first_page_had(self):
        assert address.moment_of(QueryDict("at=2026-11-21T07:00:00Z")) == NOW

    @pytest.mark.parametrize(
        "text", ["2026-11-21T07:00", "2026-11-21T08:00%2B01:00", "2026-11-21T05:00-02:00"]
    )
    def test_is_in_utc_with_any_offset_or_none(self, text):
        moment = address.moment_of(QueryDict(f"at={text}"))
        assert (moment, moment.isoformat()) == (NOW, "2026-11-21T07:00:00+00:00")

    def test_is_now_to_the_second_without_one(self):
        before = datetime.now(UTC).replace(microsecond=0)
        moment = address.moment_of(QueryDict("state=OK"))
        assert before <= moment <= datetime.now(UTC)
        assert moment.microsecond == 0

    @pytest.mark.parametrize("text", ["", "noon", "2026-99-01"])
    def test_refuses_an_invalid_time(self, text):
        with pytest.raises(Problem, match="at must be a time"):
            address.moment_of(QueryDict(f"at={text}"))


class TestExact:
    def test_counts_relative_times_from_now_and_leaves_the_rest(self):
        params = QueryDict("receive_timestamp_from=-2h&msg_timestamp_to=whenever&object_id=-2h")
        assert address.with_exact_times(params, FILTERS, now=NOW).dict() == {
            "receive_timestamp_from": "2026-11-21T05:00:00Z",
            "msg_timestamp_to": "whenever",
            "object_id": "-2h",
        }


class TestHasRelativeTimes:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("receive_timestamp_from=-2h", True),
            ("msg_timestamp_to=today", True),
            ("service_name=today", False),
        ],
    )
    def test_checks_only_times(self, query, expected):
        assert address.has_relative_times(QueryDict(query), FILTERS) is expected
