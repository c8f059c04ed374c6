"""Lists as pages, for the example of the CP queue's messages."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from messages_app.core.filters.table import filters_by_name, text_filter, time_range
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.views import ListRequest, answer_list
from messages_app.core.problems import Problem
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
LIST = "/cp-queue/messages/"


class Form(ListForm):
    filters = filters_by_name(text_filter("name", 5), *time_range("sent_at"))
    labels = {"name": "Name"}
    field_names = ("name",)


def answer_of(query: str, shown: Callable[[ListRequest], Mapping[str, object]]) -> HttpResponse:
    """Return the answer of a list whose page only keeps its context."""

    def render(context: Mapping[str, object], form: ListForm, status: int) -> HttpResponse:
        response = HttpResponse(status=status)
        problem = context["problem"]
        words = (problem.code, tuple(error.field for error in problem.errors)) if problem else None
        errors = {field.name: field.error for field in form.fields if field.error}
        response.context = {**context, "problem": words, "errors": errors}
        assert response.context.pop("form") is form
        return response

    return answer_list(RequestFactory().get(f"/list/?{query}"), Form, shown, render)


class TestAnswerList:
    def test_omits_empty_parameters_of_an_address(self):
        answer = client_of("support").get(LIST, {"queuename": "", "osid": "5"})
        assert (answer.status_code, answer.url) == (302, f"{LIST}?osid=5")

    def test_omits_the_query_string_if_nothing_is_left(self):
        answer = client_of("support").get(LIST, {"queuename": "", "osid": " "})
        assert (answer.status_code, answer.url) == (302, LIST)

    def test_answers_an_error_with_its_status_and_headers(self):
        def refuse(requested: ListRequest) -> dict:
            raise Problem(503, "busy", "Busy.", headers={"Retry-After": "7", "X-Other": "x"})

        shown = answer_of("name=x&at=2026-11-21T07:00:00Z", refuse)
        assert (shown.status_code, shown.headers["Retry-After"], shown.headers["X-Other"]) == (503, "7", "x")
        assert shown.context == {
            "problem": ("busy", ()),
            "other_errors": [],
            "is_narrowed": True,
            "list": "/list/",
            "errors": {},
        }

    def test_shows_errors_without_a_field_apart(self):
        shown = answer_of("name=xxxxxx&gone=1&page_size=5", lambda requested: {"rows": []})
        assert shown.status_code == 400
        assert shown.context == {
            "problem": ("unknown_parameter", ("gone", "name")),
            "other_errors": ["Unknown parameter 'gone'."],
            "is_narrowed": True,
            "list": "/list/",
            "errors": {"name": "Can have at most 5 characters."},
        }

    def test_gives_the_values_of_the_address_to_what_is_shown(self):
        def show(requested: ListRequest) -> dict:
            return {"values": requested.values, "now": requested.now, "problem": "overwritten"}

        shown = answer_of("at=2026-11-21T07:00:00Z&sent_at_from=-2h", show)
        assert shown.context["values"] == {"sent_at_from": datetime(2026, 11, 21, 5, tzinfo=UTC)}
        assert shown.context["now"] == datetime(2026, 11, 21, 7, tzinfo=UTC)
        assert (shown.status_code, shown.context["problem"]) == (200, None)
        assert answer_of("page_size=5&cursor=c", lambda _: {}).context["is_narrowed"] is False

    def test_shows_errors_next_to_their_field(self):
        answer = client_of("support").get(LIST, {"osid": "five"})
        assert answer.status_code == 400
        assert "e-osid" in text_of(answer)

    def test_refuses_a_cursor_of_another_list(self):
        assert client_of("support").get(LIST, {"cursor": "nonsense"}).status_code == 400
