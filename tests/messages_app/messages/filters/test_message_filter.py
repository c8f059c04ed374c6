from datetime import UTC, datetime

import pytest
from django.core.exceptions import PermissionDenied
from django.http import QueryDict
from django.test import Client

from messages_app.core.parameters import MAX_ID
from messages_app.core.problems import Problem
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.message_filter import (
    FILTERS,
    MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE,
    MessageFilter,
    natural_order,
    parse_message_filter,
    read_list_filter,
    refuse_without_reason,
)
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.support.factories import make_user
from tests.support.page_client import client_of, show_values

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)
A_WEEK = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-08T00:00:00Z"


def parsed(query: str, **kwargs) -> MessageFilter:
    return parse_message_filter(QueryDict(query), **{"user": None} | kwargs)


def refusal(query: str, **kwargs) -> Problem:
    with pytest.raises(Problem) as refused:
        parsed(query, **kwargs)
    assert refused.value.status == 400
    return refused.value


class TestParse:
    @pytest.mark.parametrize(
        ("query", "states"),
        [
            ("state=OK", ("OK",)),
            ("state=FAILED,CANCEL", ("FAILED", "CANCEL")),
            ("state=FAILED&state=CANCEL", ("FAILED", "CANCEL")),
            ("state=FAILED&state=CANCEL,OK", ("FAILED", "CANCEL", "OK")),
            ("state=OK,OK", ("OK",)),
        ],
    )
    def test_accepts_several_states(self, query, states):
        assert parsed(query).states == states

    @pytest.mark.parametrize(
        ("query", "archived", "anywhere"),
        [
            ("", False, False),
            ("archived=false", False, False),
            ("archived=true", True, False),
            ("archived=any", False, True),
        ],
    )
    def test_accepts_three_places(self, query, archived, anywhere):
        assert (parsed(query).is_archived, parsed(query).is_anywhere) == (archived, anywhere)
        assert parsed(query).is_empty

    @pytest.mark.parametrize("query", ["archived=any&family=roots", "family=failed"])
    def test_writes_places_and_families_back(self, query):
        assert parsed(parsed(query).as_query()) == parsed(query)

    def test_lets_a_page_search_payloads_in_a_longer_range(self):
        month = "receive_timestamp_from=2026-10-01T00:00:00Z&receive_timestamp_to=2026-11-01T00:00:00Z"
        assert refusal(f"payload_contains=x&{month}").code == "out_of_range"
        parsed(f"payload_contains=x&{month}", content_range=MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE)

    @pytest.mark.parametrize(
        ("query", "field", "code"),
        [
            ("zzz=1", "zzz", "unknown_parameter"),
            ("archived=maybe", "archived", "invalid_value"),
            ("archived=ANY", "archived", "invalid_value"),
            ("family=children", "family", "invalid_value"),
            ("family=roots&family=failed", "family", "ambiguous_parameter"),
            ("State=OK", "State", "unknown_parameter"),
            ("state[]=OK", "state[]", "unknown_parameter"),
            ("state__in=OK", "state__in", "unknown_parameter"),
            ("correlation_id__regex=(", "correlation_id__regex", "unknown_parameter"),
            ("payload__contains=x", "payload__contains", "unknown_parameter"),
            ("externalcall__state=OK", "externalcall__state", "unknown_parameter"),
            ("_connector=OR 1=1", "_connector", "unknown_parameter"),
            ("pk=1", "pk", "unknown_parameter"),
            ("state=", "state", "required"),
            ("state=OK,,FAILED", "state", "required"),
            ("state=NOPE", "state", "invalid_value"),
            ("state=ok", "state", "invalid_value"),
            ("state=OK' OR '1'='1", "state", "invalid_value"),
            ("msg_id=", "msg_id", "required"),
            ("msg_id=1,,2", "msg_id", "required"),
            ("msg_id=1,x", "msg_id", "invalid_value"),
            ("msg_id=1%202", "msg_id", "invalid_value"),
            (f"msg_id=1,{-MAX_ID - 2}", "msg_id", "out_of_range"),
            (f"msg_id={MAX_ID + 1}", "msg_id", "out_of_range"),
            (f"msg_id={','.join(['1'] * 1001)}", "msg_id", "out_of_range"),
            ("object_id=a&object_id=a", "object_id", "ambiguous_parameter"),
            ("object_id=", "object_id", "required"),
            ("correlation_id=a%00b", "correlation_id", "invalid_value"),
            ("correlation_id=" + "a" * 101, "correlation_id", "too_long"),
            ("failed_error_code=E10001", "failed_error_code", "too_long"),
            *((f"parent_msg_id={text}", "parent_msg_id", "invalid_value") for text in (
                "abc", "1e3", "1_000", "0x10", "1.0", "%2B1", "%201", "NaN", "Infinity", "1e5000", "%D9%A1"
            )),
            *((f"parent_msg_id={text}", "parent_msg_id", "out_of_range") for text in (
                str(-MAX_ID - 2), str(MAX_ID + 1), "9" * 400
            )),
            *((f"receive_timestamp_from={text}", "receive_timestamp_from", "invalid_value") for text in (
                "yesterday", "2026-11-21", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2026-11-21T10:00",
                "2016-12-31T23:59:60Z", "2026-11-21T10:00:00%2B99:99", "2026-11-21T10:00:00 01:00",
                "2026-11-21 10:00:00Z", "2026-W47-6T10:00:00Z", "20261121T100000Z", "1732180800",
            )),
            *((f"receive_timestamp_from={text}", "receive_timestamp_from", "out_of_range") for text in (
                "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "0001-01-01T00:00:00%2B14:00",
                "9999-12-31T23:59:59-14:00",
            )),
            ("archived=yes", "archived", "invalid_value"),
            ("archived=1", "archived", "invalid_value"),
            ("archived=", "archived", "required"),
            ("payload_contains=x", "payload_contains", "required"),
            (f"payload_contains=x&{A_WEEK.replace('08T', '09T')}", "payload_contains", "out_of_range"),
            ("payload_contains=x&msg_timestamp_from=2026-11-01T00:00:00Z", "payload_contains", "required"),
        ],
    )  # fmt: skip
    def test_rejects_an_invalid_filter(self, query, field, code):
        error = refusal(query).errors[0]
        assert (error.field, error.code) == (field, code)
        assert len(error.message) < 300

    @pytest.mark.parametrize("column", ["msg_timestamp", "receive_timestamp", "last_process_timestamp"])
    def test_rejects_a_range_that_ends_before_it_begins(self, column):
        query = f"{column}_from=2026-11-02T00:00:00Z&{column}_to=2026-11-01T00:00:00Z"
        assert refusal(query).errors[0].field == f"{column}_from"
        assert parsed(f"{column}_from=2026-11-02T00:00:00Z&{column}_to=2026-11-02T01:00:00%2B01:00")

    def test_names_every_filter_at_fault(self):
        errors = refusal("zzz=1&state=NOPE&object_id=&parent_msg_id=x").errors
        assert {error.field for error in errors} == {"zzz", "state", "object_id", "parent_msg_id"}

    def test_suggests_the_nearest_name(self):
        assert "Did you mean 'service_name'?" in refusal("servicename=x").detail

    def test_names_the_valid_states(self):
        assert all(state in refusal("state=NOPE").detail for state in MessageState)

    def test_reads_times_as_utc(self):
        found = parsed("msg_timestamp_from=2026-11-21T10:00:00.25%2B01:00").values["msg_timestamp_from"]
        assert found == datetime(2026, 11, 21, 9, 0, 0, 250_000, tzinfo=UTC)

    @pytest.mark.parametrize("name", [name for name, one in FILTERS.items() if one.max_length])
    def test_accepts_a_text_as_long_as_its_column(self, name):
        length = FILTERS[name].max_length
        query = f"{name}={'a' * length}&{A_WEEK}"
        text = "a" * length
        assert parsed(query).values[name] == ((text,) if FILTERS[name].is_text_list else text)
        assert refusal(query.replace("=a", "=aa", 1)).errors[0].code == "too_long"

    @pytest.mark.parametrize("text", ["' ; select pg_sleep(10) --", "<script>", "%25_%25", "%2500", "++("])
    def test_searches_any_text_literally(self, text):
        assert parsed(f"object_id={text}").values["object_id"]

    def test_leaves_the_paging_to_the_list(self):
        assert parsed("state=OK&cursor=x&page_size=5&ordering=msg_id") == parsed("state=OK")

    def test_rejects_paging_parameters_of_lists_without_pages(self):
        assert refusal("cursor=x", other_parameters=frozenset()).errors[0].code == "unknown_parameter"

    @pytest.mark.django_db
    def test_rejects_a_search_of_payloads_by_masked_readers_and_names_the_permission(self):
        masked = refusal(f"payload_contains=x&{A_WEEK}", user=make_user("admin")).errors[0]
        assert (masked.code, masked.message) == (
            "unknown_parameter",
            "payload_contains: You need the permission view_payload. Ask an administrator.",
        )

    @pytest.mark.django_db
    def test_allows_a_search_of_payloads_by_users_who_may_read_them(self):
        reader = make_user("support", "view_payload")
        assert parsed(f"payload_contains=x&{A_WEEK}", user=reader).values["payload_contains"] == "x"


@pytest.mark.django_db
class TestRefuseWithoutReason:
    NAMES = ("state", "payload_contains")

    def user_of(self, client: Client) -> object:
        """Return the user that a call by this session has."""
        return client.get("/api/v1/messages/").wsgi_request.user

    def test_rejects_a_session_that_only_lacks_a_reason(self):
        client = client_of("support", "view_payload")
        with pytest.raises(PermissionDenied):
            refuse_without_reason(self.NAMES, user=self.user_of(client))
        show_values(client)
        refuse_without_reason(self.NAMES, user=self.user_of(client))

    def test_allows_other_filters(self):
        refuse_without_reason(["state", "payload"], user=self.user_of(client_of("support", "view_payload")))

    def test_leaves_users_without_permission_to_parse(self):
        user = self.user_of(client_of("support"))
        refuse_without_reason(self.NAMES, user=user)
        assert refusal(f"payload_contains=x&{A_WEEK}", user=user).code == "unknown_parameter"

    def test_allows_users_of_tokens(self):
        refuse_without_reason(self.NAMES, user=make_user("support", "view_payload"))


class TestMessageFilter:
    @pytest.mark.parametrize("query", ["", "archived=false"])
    def test_is_empty_without_conditions(self, query):
        assert parsed(query).is_empty
        assert parsed(query).as_query() == ""

    def test_is_not_empty_with_a_condition(self):
        assert not parsed("state=OK").is_empty

    def test_writes_the_same_filter_the_same_way(self):
        first = parsed("object_id=a&state=OK&state=FAILED&msg_timestamp_from=2026-11-21T10:00:00%2B01:00")
        second = parsed("msg_timestamp_from=2026-11-21T09:00Z&state=OK,FAILED&object_id=a")
        assert first.as_query() == second.as_query()
        assert parsed(first.as_query()) == first

    def test_puts_each_filter_into_words(self):
        words = parsed("archived=true&state=OK,FAILED&msg_timestamp_to=2026-11-21T10:00:00Z").as_pairs()
        assert words == [
            ("state", "OK,FAILED"),
            ("msg_timestamp_to", "2026-11-21T10:00:00Z"),
            ("archived", "true"),
        ]


class TestFilters:
    def test_are_as_long_as_their_columns(self):
        for one in FILTERS.values():
            if one.max_length and one.lookup in {field.name for field in Message._meta.fields}:
                assert one.max_length == Message._meta.get_field(one.lookup).max_length


# The zone of an attached hub is asked for.
@pytest.mark.django_db
class TestNaturalOrder:
    @pytest.mark.parametrize(
        ("query", "order"),
        [
            ("", "-msg_id"),
            ("state=FAILED", "-msg_id"),
            ("receive_timestamp_from=2026-11-01T00:00:00Z", "-receive_timestamp"),
            ("msg_timestamp_from=2026-11-01T00:00:00Z", "-msg_id"),
        ],
    )
    def test_is_that_of_the_filters_own_index(self, query, order):
        assert natural_order(message_filter.parse_message_filter(QueryDict(query), user=None)) == order


class TestReadListFilter:
    def test_counts_relative_times_from_now(self):
        filters = read_list_filter(QueryDict("receive_timestamp_from=-2h"), user=None, now=NOW)
        assert filters.values == {"receive_timestamp_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}

    def test_ends_a_search_of_payloads_now(self):
        params = QueryDict("receive_timestamp_from=-2h&payload_contains=x")
        assert read_list_filter(params, user=None, now=NOW).values["receive_timestamp_to"] == NOW

    def test_rejects_unknown_parameters(self):
        with pytest.raises(Problem) as refused:
            read_list_filter(QueryDict("nope=1&receive_timestamp_from=whenever"), user=None, now=NOW)
        assert {error.field for error in refused.value.errors} == {"nope", "receive_timestamp_from"}
