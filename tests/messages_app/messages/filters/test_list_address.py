from datetime import UTC, datetime

import pytest
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.messages.filters import list_address

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


class TestRead:
    def test_counts_relative_times_from_now(self):
        filters = list_address.read_filter(QueryDict("receive_timestamp_from=-2h"), user=None, now=NOW)
        assert filters.values == {"receive_timestamp_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}

    def test_ends_a_search_of_payloads_now(self):
        params = QueryDict("receive_timestamp_from=-2h&payload_contains=x")
        assert list_address.read_filter(params, user=None, now=NOW).values["receive_timestamp_to"] == NOW

    def test_rejects_unknown_parameters(self):
        with pytest.raises(Problem) as refused:
            list_address.read_filter(QueryDict("nope=1&receive_timestamp_from=whenever"), user=None, now=NOW)
        assert {error.field for error in refused.value.errors} == {"nope", "receive_timestamp_from"}
