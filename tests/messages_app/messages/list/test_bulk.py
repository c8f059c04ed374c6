import pytest
from django.http import QueryDict

from messages_app.messages.filters.filters import parse
from messages_app.messages.list.bulk import bulk_choices
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


def kinds(query: str, *roles: str) -> list[str]:
    filters = parse(QueryDict(query), user=None)
    return [choice.kind for choice in bulk_choices(filters, make_user(*roles))]


class TestBulkChoices:
    @pytest.mark.parametrize(
        ("query", "offered"),
        [
            ("service_name=billing", ["restart", "cancel", "archive", "export"]),
            ("state=FAILED", ["restart", "archive", "export"]),
            ("state=POSTPONED", ["cancel", "export"]),
            ("state=POSTPONED,CANCEL", ["restart", "cancel", "export"]),
            ("archived=true&service_name=billing", ["restore", "export"]),
            ("archived=any&service_name=billing", ["export"]),
            ("", []),
            ("archived=true", []),
        ],
    )
    def test_are_what_the_states_of_the_list_allow(self, query, offered):
        assert kinds(query, "admin") == offered

    @pytest.mark.parametrize(
        ("role", "offered"), [("support", ["export"]), ("operator", ["restart", "cancel", "export"])]
    )
    def test_are_what_the_reader_may_do(self, role, offered):
        assert kinds("service_name=billing", role) == offered

    def test_are_none_for_who_may_see_no_job(self):
        assert kinds("service_name=billing") == []

    def test_take_the_lists_filter_along(self):
        filters = parse(QueryDict("state=FAILED,CANCEL&service_name=a%26b"), user=None)
        first = bulk_choices(filters, make_user("operator"))[0]
        assert QueryDict(first.query).dict() == {
            "kind": "restart",
            "state": "FAILED,CANCEL",
            "service_name": "a&b",
        }


class TestPage:
    def test_has_the_choices_where_there_are_messages(self):
        client = client_of("operator")
        assert "/jobs/new/" not in text_of(client.get("/messages/?state=FAILED"))
        make_message(state="FAILED")
        assert "/jobs/new/?kind=restart&amp;state=FAILED" in text_of(client.get("/messages/?state=FAILED"))
