import pytest
from django.http import QueryDict
from django.test import RequestFactory

from messages_app.jobs.permissions import kinds_offered
from messages_app.messages.filters.message_filter import parse_message_filter
from messages_app.templatetags.jobs import list_offered_jobs
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def kinds(query: str, *roles: str) -> list[str]:
    filters = parse_message_filter(QueryDict(query), user=None)
    return [spec.kind for spec in kinds_offered(filters, make_user(*roles))]


class TestKindsOffered:
    @pytest.mark.parametrize(
        ("query", "offered"),
        [
            ("service_name=billing", ["restart", "cancel", "analyse", "index_keys", "archive", "export"]),
            ("state=FAILED", ["restart", "analyse", "index_keys", "archive", "export"]),
            ("state=POSTPONED", ["cancel", "analyse", "index_keys", "export"]),
            ("state=POSTPONED,CANCEL", ["restart", "cancel", "analyse", "index_keys", "export"]),
            ("state=OK", ["index_keys", "archive", "export"]),
            ("archived=true&service_name=billing", ["index_keys", "restore", "export"]),
            ("archived=any&service_name=billing", ["index_keys", "export"]),
            ("", []),
            ("archived=true", []),
        ],
    )
    def test_are_what_the_states_of_the_list_allow(self, query, offered):
        assert kinds(query, "admin") == offered

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
        first = list_offered_jobs({"request": request}, filters)[0]
        assert QueryDict(first.query).dict() == {
            "kind": "restart",
            "state": "FAILED,CANCEL",
            "service_name": "a&b",
        }
