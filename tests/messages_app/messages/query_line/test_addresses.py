from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.messages.query_line import addresses
from messages_app.web.problems import Problem

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


class TestTidied:
    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            ("service_name=&state=", ""),
            ("service_name=+billing+", "service_name=billing"),
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
        tidy = addresses.tidied(QueryDict(sent), now=NOW)
        assert tidy.urlencode() == kept
        assert addresses.tidied(tidy, now=NOW) == tidy


class TestMomentOf:
    def test_is_what_the_first_page_had(self):
        assert addresses.moment_of(QueryDict("at=2026-11-21T07:00:00Z")) == NOW

    @pytest.mark.parametrize("text", ["", "noon", "2026-99-01"])
    def test_refuses_what_is_no_time(self, text):
        with pytest.raises(Problem, match="at must be a time"):
            addresses.moment_of(QueryDict(f"at={text}"))


class TestRead:
    def test_counts_relative_times_from_now(self):
        filters = addresses.read(QueryDict("receive_timestamp_from=-2h"), user=None, now=NOW)
        assert filters.values == {"receive_timestamp_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}

    def test_ends_a_search_of_payloads_now(self):
        params = QueryDict("receive_timestamp_from=-2h&payload_contains=x")
        assert addresses.read(params, user=None, now=NOW).values["receive_timestamp_to"] == NOW

    def test_refuses_what_the_list_does_not_know(self):
        with pytest.raises(Problem) as refused:
            addresses.read(QueryDict("nope=1&receive_timestamp_from=whenever"), user=None, now=NOW)
        assert {error.field for error in refused.value.errors} == {"nope", "receive_timestamp_from"}


class TestHasRelativeTimes:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("receive_timestamp_from=-2h", True),
            ("msg_timestamp_to=today", True),
            ("service_name=today", False),
        ],
    )
    def test_looks_at_times_alone(self, query, expected):
        assert addresses.has_relative_times(QueryDict(query)) is expected
