"""
All calls of the API have a rate limit, paged lists and declared fields (docs/contributing/spec/promises.md,
S-19).
"""

import pytest
from django.forms import BaseModelForm
from rest_framework.serializers import BaseSerializer

from messages_app.access.authentication import SessionAuthentication, TokenAuthentication
from messages_app.core.api_examples import read_examples
from tests.support.api_client import caller, problem
from tests.support.routes import addresses, api_views

# Lists without pages, each with the reason why it is short.
WHOLE = {
    "GET /api/v1/search/": "a few results of each kind",
    "POST /api/v1/business-keys/preview/": "a few of the newest messages",
    "POST /api/v1/business-keys/suggestions/": "the best few",
    "GET /api/v1/message-store/error-groups/": "the largest groups, of a fenced look",
    "GET /api/v1/message-store/missing-references/": "the most wanted references, of a fenced look",
    "POST /api/v1/cp-queue/dispatch-many/": "one for each message of the body",
    "POST /api/v1/document-history/check-many/": "one for each document of the body",
    "POST /api/v1/document-history/complete-many/": "one for each document of the body",
}


def ours(kind: type) -> set[type]:
    """Return our own subclasses of a class, at any depth."""
    below = {each for child in kind.__subclasses__() for each in {child, *ours(child)}}
    return {each for each in below if each.__module__.startswith(("messages_app.", "hubconsole."))}


class TestApiView:
    def test_counts_every_caller(self):
        """These two count each request first (access/rate_limits.py), so that no view needs a throttle."""
        for route, view in api_views():
            assert view.authentication_classes == [TokenAuthentication, SessionAuthentication], route

    def test_returns_lists_in_pages(self):
        answers = {call: example.get("response") for call, example in read_examples().items()}
        lists = {call for call, answer in answers.items() if isinstance(answer, dict) and "results" in answer}
        pages = {call for call in lists if {"next", "previous"} <= set(answers[call])}
        assert len(pages) > 20
        assert lists - pages == set(WHOLE)
        assert not [call for call, answer in answers.items() if isinstance(answer, list)]

    @pytest.mark.django_db
    def test_refuses_a_method_that_an_address_does_not_take_before_anything_else(self):
        """Whatever else is wrong with the request: its parameters, headers and body belong to no call."""
        admin = caller("admin")
        others = {}
        for address in addresses():
            # The documentation is a page.
            if not address.startswith("api/v1/") or address == "api/v1/docs/":
                continue
            path = address.removeprefix("api/v1/") + "?format=777&none=1"
            answer = admin.send("TRACE", path, b"{", HTTP_IDEMPOTENCY_KEY="\t", HTTP_IF_MATCH="777")
            others[path] = (answer.status_code, problem(answer)["code"])
        assert len(others) > 80
        assert {path: found for path, found in others.items() if found != (405, "method_not_allowed")} == {}

    def test_orders_by_declared_names_only(self):
        for route, view in api_views():
            assert getattr(view, "ordering_fields", None) != "__all__", route


class TestFields:
    """Forms and serializers name their fields, so that a new column is never included automatically."""

    @pytest.mark.parametrize("kind", [BaseSerializer, BaseModelForm])
    def test_are_named_one_by_one(self, kind):
        assert len([*api_views()]) > 80  # the classes of every package are loaded
        for each in ours(kind):
            meta = vars(each).get("Meta")  # fields of a library are its own
            assert getattr(meta, "fields", None) != "__all__", each
            assert getattr(meta, "exclude", None) is None, each
        assert len(ours(BaseSerializer)) > 20
