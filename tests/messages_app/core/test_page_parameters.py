"""Each page refuses parameters that it does not take."""

import pytest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_POST

from messages_app.core.page_parameters import (
    checks_parameters,
    ignores_parameters,
    refuse_unknown_parameters,
    takes_parameters,
)
from messages_app.core.problems import Problem
from tests.support.page_client import reader_of, text_of
from tests.support.routes import addresses

# Tools that call these may add parameters, or the page only exists for debugging; the others have own rules.
_OTHERS = ("admin/", "api/", "health/", "styleguide/", "static/")
# Without these, the page names only what is missing.
_QUERIES = {"/jobs/new/": {"kind": "cancel"}}


def pages() -> list[str]:
    """Return an address for each page, with row 777, which does not exist, as its object."""
    return [f"/{address}" for address in addresses() if not address.startswith(_OTHERS)]


@pytest.mark.django_db
class TestEveryPage:
    def test_refuses_a_parameter_that_it_does_not_take_and_names_it(self):
        client = reader_of("admin", "operator", "support")
        paths = pages()
        assert len(paths) > 190
        answers = {path: client.get(path, {"zzz": "1"} | _QUERIES.get(path, {})) for path in paths}
        # A provider may add parameters of its own.
        del answers["/login/with/777/callback/"]
        read = {path: answer for path, answer in answers.items() if answer.status_code != 405}
        assert len(read) > 130
        assert {path: answer.status_code for path, answer in read.items()} == dict.fromkeys(read, 400)
        assert [path for path, answer in read.items() if "zzz" not in text_of(answer)] == []

    def test_suggests_the_parameter_that_was_meant(self):
        client = reader_of("admin")
        for address, query, words in (
            ("/alerts/", "curser=a", "Unknown parameter 'curser'. Did you mean 'cursor'?"),
            ("/mentions/", "usr=ada", "Did you mean 'user'?"),
            ("/handover/", "sinse=-8h", "Did you mean 'since'?"),
            ("/schedules/", "page=2", "Unknown parameter 'page'."),
            ("/settings/", "tab=all", "Unknown parameter 'tab'."),
            ("/alerts/", "cursor=a&cursor=b", "cursor is given more than once."),
            ("/?window=9y", "", "window must be one of"),
            ("/map/?window=9y", "", "window must be one of"),
        ):
            answer = client.get(f"{address}?{query}" if query else address)
            assert answer.status_code == 400
            assert words in text_of(answer).replace("&#x27;", "'")

    def test_is_refused_before_a_form_is_stored(self):
        answer = reader_of("admin").post("/schedules/new/?knd=archive", {"kind": "archive"})
        assert answer.status_code == 400
        assert "Did you mean" in text_of(answer)


def request_of(query: str, path: str = "/page/", *, method: str = "GET") -> HttpRequest:
    request = HttpRequest()
    request.path_info, request.GET, request.method = path, QueryDict(query), method
    return request


def show_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


class TestRefuseUnknownParameters:
    def test_accepts_only_what_is_declared(self):
        refuse_unknown_parameters(request_of(""), show_page)
        with pytest.raises(Problem) as refusal:
            refuse_unknown_parameters(request_of("a=1&b=2"), show_page)
        assert [error.field for error in refusal.value.errors] == ["a", "b"]

    def test_accepts_repeated_ones_only_where_they_are_declared(self):
        def show_rows(request: HttpRequest) -> HttpResponse:
            return HttpResponse()

        view = takes_parameters("a", "b", repeatable=("b",))(show_rows)
        refuse_unknown_parameters(request_of("a=1&b=2&b=3"), view)
        with pytest.raises(Problem, match="a is given more than once"):
            refuse_unknown_parameters(request_of("a=1&a=2"), view)

    def test_does_not_apply_to_views_that_check_or_ignore_them(self):
        for declare in (checks_parameters, ignores_parameters):

            def show_rows(request: HttpRequest) -> HttpResponse:
                return HttpResponse()

            refuse_unknown_parameters(request_of("a=1"), declare(show_rows))

    def test_leaves_a_method_that_the_view_does_not_take_to_the_view(self):
        view = require_POST(show_page)
        refuse_unknown_parameters(request_of("a=1"), view)
        with pytest.raises(Problem):
            refuse_unknown_parameters(request_of("a=1", method="POST"), view)

    def test_does_not_apply_to_the_api_and_the_admin(self):
        for path in ("/api/v1/messages/", "/admin/"):
            refuse_unknown_parameters(request_of("a=1", path), show_page)
