from datetime import timedelta

import pytest
from django.http import QueryDict
from django.test import RequestFactory

from messages_app.core.clock import database_clock
from messages_app.core.filters.table import Filter, name_values
from messages_app.jobs.offers import find_offers
from messages_app.jobs.validation import checked_filter
from messages_app.messages.filters.message_filter import (
    CONTENT,
    FILTERS,
    parse_message_filter,
    read_list_filter,
)
from messages_app.templatetags.jobs import list_offered_jobs
from tests.support.factories import make_message, make_user
from tests.support.page_client import reader_of, text_of

pytestmark = pytest.mark.django_db

# Filters by state and place, which are added to each other filter.
ADDED = (
    "",
    "state=OK",
    "state=OK,POSTPONED",
    "state_not=NEW",
    "state_not=OK",
    "archived=true",
    "archived=any&state=OK,POSTPONED",
)


def kinds(query: str, *roles: str) -> list[str]:
    filters = parse_message_filter(QueryDict(query), user=None)
    return [spec.kind for spec in find_offers(filters, make_user(*roles)).specs]


def sample_of(one: Filter) -> str:
    """Return a filter with a value of its kind."""
    if one.choices:
        return f"{one.name}={'FAILED' if 'FAILED' in one.choices else one.choices[0]}"
    if one.name.endswith(("_from", "_to")):
        return f"{one.name}=2026-11-01T00:00:00Z"
    # The list searches payloads of 31 days, a job of 7.
    return f"{one.name}=1" + ("&receive_timestamp_from=-20d" if one.name == CONTENT else "")


class TestFindOffers:
    @pytest.mark.parametrize(
        ("query", "offered"),
        [
            ("service_name=billing", ["restart", "cancel", "analyse", "index_keys", "archive", "export"]),
            ("state=FAILED", ["restart", "analyse", "index_keys", "archive", "export"]),
            ("state=POSTPONED", ["cancel", "analyse", "index_keys", "export"]),
            ("state=POSTPONED,CANCEL", ["restart", "cancel", "analyse", "index_keys", "export"]),
            ("state=OK", ["index_keys", "archive", "export"]),
            ("state=OK,FAILED", ["restart", "index_keys", "archive", "export"]),
            ("state_not=NEW", ["restart", "cancel", "index_keys", "export"]),
            ("state_not=OK,NEW", ["restart", "cancel", "analyse", "index_keys", "export"]),
            ("archived=true&service_name=billing", ["index_keys", "restore", "export"]),
            ("archived=any&service_name=billing", ["index_keys", "export"]),
            ("", []),
            ("archived=true", []),
        ],
    )
    def test_are_what_the_states_of_the_list_allow(self, query, offered):
        assert kinds(query, "admin") == offered

    @pytest.mark.parametrize("name", FILTERS)
    def test_are_accepted_with_every_filter_of_the_list(self, name):
        user, now = make_user("admin", "view_payload", "edit_payload"), database_clock()
        for added in ADDED:
            # A second value of a parameter replaces the first one.
            params = QueryDict(sample_of(FILTERS[name]), mutable=True)
            for other, value in QueryDict(added).items():
                params.setdefault(other, value)
            filters = read_list_filter(params, user=user, now=now)
            offers = find_offers(filters, user)
            for spec in offers.specs:
                assert checked_filter(spec.kind, name_values(filters.as_pairs()), user)[1] == []
            assert bool(offers.specs) != (name == CONTENT or filters.is_empty), added

    @pytest.mark.parametrize(
        ("role", "offered"),
        [("support", ["analyse", "export"]), ("operator", ["restart", "cancel", "analyse", "export"])],
    )
    def test_are_what_the_reader_may_do(self, role, offered):
        assert kinds("service_name=billing", role) == offered

    def test_are_empty_for_users_without_permission_to_see_jobs(self):
        assert kinds("service_name=billing") == []

    def test_keep_the_filter_of_the_list(self):
        filters = parse_message_filter(QueryDict("state=FAILED,CANCEL&service_name=a%26b"), user=None)
        request = RequestFactory().get("/messages/")
        request.user = make_user("operator")
        first = list_offered_jobs({"request": request}, filters).jobs[0]
        assert QueryDict(first.query).dict() == {
            "kind": "restart",
            "state": "FAILED,CANCEL",
            "service_name": "a&b",
        }

    def test_say_why_no_job_searches_payloads_of_a_longer_time(self):
        page = "/messages/?payload_contains=x&receive_timestamp_from="
        make_message(receive_timestamp=database_clock() - timedelta(hours=1), payload="x")
        reader = reader_of("operator")
        refusal = "No job can use this filter. payload_contains searches at most 7 days of receive_timestamp."
        assert refusal in text_of(reader.get(f"{page}-20d"))
        assert refusal not in text_of(reader.get(f"{page}-6d"))
