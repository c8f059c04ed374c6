"""Each page of an error: a title in words, the sentence, one next step, and the request id."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory

from messages_app.core.problem_pages import title_of
from messages_app.core.problems import Problem, problem_response
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of
from tests.support.threads import in_threads

FORM_PAGE = {"Referer": "http://testserver/error-codes/new/"}
_PHRASES = {status.phrase for status in HTTPStatus}


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A page of an error.

    Args:
        ask: sends the request with the client of a user who has the role `support`.
        words: the sentence.
        step: the words and the address of the main button.
    """

    ask: Callable[[Client], HttpResponse]
    status: int
    title: str
    words: str
    step: tuple[str, str] = ("Go to Overview", "/")
    has_frame: bool = True


def refuse(problem: Problem, method: str = "GET") -> Callable[[Client], HttpResponse]:
    """Return a function that answers a request of the client's user with a problem."""

    def answer(client: Client) -> HttpResponse:
        request = RequestFactory().generic(method, "/jobs/?kind=restart", headers=FORM_PAGE)
        request.user = client.get("/mentions/").wsgi_request.user
        request.session, request.request_id = client.session, "r-1"
        response = problem_response(problem, request)
        response.headers["X-Request-ID"] = "r-1"
        return response

    return answer


def post_without_token(client: Client) -> HttpResponse:
    client.handler.enforce_csrf_checks = True
    return client.post("/messages/5/cancel/", {"reason": "r"}, headers=FORM_PAGE)


def post_long_form(client: Client) -> HttpResponse:
    client.get("/me/")  # sets the cookie of the token, with which the body is read
    client.handler.enforce_csrf_checks = True
    return client.post("/me/", {"zone": "x" * 3_000_000}, headers=FORM_PAGE)


def post_without_session(client: Client) -> HttpResponse:
    client.cookies.clear()
    return post_without_token(client)


BACK = ("Back", "/error-codes/new/")
AGAIN = ("Try again", "/jobs/?kind=restart")
CASES = {
    "unknown parameter": Case(
        ask=lambda client: client.get("/mentions/?nope=1"),
        status=400,
        title="The request is not valid",
        words="Unknown parameter 'nope'.",
    ),
    "invalid value": Case(
        ask=lambda client: client.get("/jobs/new/?kind=nope"),
        status=400,
        title="The request is not valid",
        words="kind must be one of",
    ),
    "page of another role": Case(
        ask=lambda client: client.get("/users/", headers=FORM_PAGE),
        status=403,
        title="You may not open this page",
        words="You need the permission manage_users (role admin). Ask an administrator.",
        step=BACK,
    ),
    "form of another role": Case(
        ask=lambda client: client.post("/error-codes/new/", {"code": "X1"}, headers=FORM_PAGE),
        status=403,
        title="You may not do this",
        words="You need the permission",
        step=BACK,
    ),
    "form without a token": Case(
        ask=post_without_token,
        status=403,
        title="This form is out of date",
        words="This form is from an earlier session or another site. Nothing was changed.",
        step=BACK,
    ),
    "form without a session": Case(
        ask=post_without_session,
        status=403,
        title="You are logged out",
        words="Nothing was changed. Log in to return to the page.",
        step=("Log in", "/login/?next=%2Ferror-codes%2Fnew%2F"),
        has_frame=False,
    ),
    "unknown address": Case(
        ask=lambda client: client.get("/nope/"),
        status=404,
        title="Page not found",
        words="The console has no such address.",
    ),
    "unknown message": Case(
        ask=lambda client: client.get("/messages/99999999/"),
        status=404,
        title="Not found",
        words="No message 99999999, neither live nor archived.",
    ),
    "unknown job": Case(
        ask=lambda client: client.get("/jobs/777/"),
        status=404,
        title="Not found",
        words="No job has the id 777.",
    ),
    "address of a form": Case(
        ask=lambda client: client.get("/messages/act/"),
        status=405,
        title="There is no page here",
        words="This address supports only POST, not 'GET'.",
    ),
    "other method": Case(
        ask=lambda client: client.put("/jobs/"),
        status=405,
        title="This page does not take that",
        words="This address supports only GET, HEAD, POST, OPTIONS, not 'PUT'.",
        has_frame=False,
    ),
    "other state": Case(
        ask=refuse(
            Problem(409, "state_conflict", "The job is done.", extra={"current_state": "done"}), "POST"
        ),
        status=409,
        title="This is not possible now",
        words="The job is done.",
        step=BACK,
    ),
    "expired file": Case(
        ask=refuse(Problem(410, "gone", "The file was removed.")),
        status=410,
        title="This is no longer available",
        words="The file was removed.",
        step=BACK,
    ),
    "long form": Case(
        ask=post_long_form,
        status=413,
        title="Too much was sent",
        words="A form or body can have at most 2.5 MB. Nothing was changed.",
        step=BACK,
    ),
    "too many jobs": Case(
        ask=refuse(Problem(429, "too_many_jobs", "Wait for one."), "POST"),
        status=429,
        title="You have too many jobs",
        words="Wait for one.",
        step=BACK,
    ),
    "busy row": Case(
        ask=refuse(Problem(503, "row_busy", "Try again."), "POST"),
        status=503,
        title="Someone else is changing this",
        words="Try again.",
        step=BACK,
    ),
    "slow query": Case(
        ask=refuse(Problem(503, "query_too_slow", "This takes too long. Narrow the filter.")),
        status=503,
        title="This takes too long",
        words="Narrow the filter.",
        step=AGAIN,
    ),
    "time limit": Case(
        ask=refuse(Problem(503, "time_limit", "This took longer than 30 seconds.")),
        status=503,
        title="This takes too long",
        words="This took longer than 30 seconds.",
        step=AGAIN,
        has_frame=False,
    ),
    "no database": Case(
        ask=refuse(
            Problem(503, "database_unavailable", "The database cannot be reached. Try again shortly.")
        ),
        status=503,
        title="The database cannot be reached",
        words="Try again shortly.",
        step=AGAIN,
        has_frame=False,
    ),
    "suspended": Case(
        ask=refuse(Problem(503, "suspended", "The hub's tables are being changed.")),
        status=503,
        title="The console is suspended",
        words="The hub's tables are being changed.",
        step=AGAIN,
    ),
    "defect": Case(
        ask=refuse(Problem(500, "internal_error", "The log has details.")),
        status=500,
        title="The console has a defect",
        words="The log has details.",
        step=BACK,
        has_frame=False,
    ),
}


@pytest.fixture
def support() -> Client:
    client = client_of("support")
    client.raise_request_exception = False
    return client


def read_page(response: HttpResponse) -> dict[str, object]:
    """Return the parts of a page, without its frame."""
    text = response.content.decode().replace("&#x27;", "'")
    page = text_of(response).replace("&#x27;", "'")
    return {
        "title": re.search(r"<title>(.*?) · Hub Console</title>", text)[1],
        "heading": re.search(r"<h1>(.*?)</h1>", text)[1],
        "words": re.search(r"<(?:p data-detail|li)>(.*?)</(?:p|li)>", page.rpartition("<h1>")[2])[1],
        "steps": re.findall(r'<a class="c-button c-button-main" href="([^"]*)">([^<]*)</a>', text),
        "request_id": re.search(r'id="request-id">([^<]*)<', text)[1],
        "has_frame": 'aria-label="Main"' in text,
    }


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/messages/"])
def test_leads_a_user_without_a_role_to_what_to_ask_for(path):
    """Not to the overview, which is closed to them, too."""
    client = client_of()
    response = client.get(path)
    assert response.status_code == 403
    assert read_page(response)["steps"] == [("/login/no-role/", "Ask for a role")]
    assert "Go to Overview" not in text_of(response)
    asked = client.get("/login/no-role/")
    assert "Ask an administrator for a role." in " ".join(text_of(asked).split())


@pytest.mark.django_db
def test_names_administrators_to_a_user_whose_role_is_not_enough():
    make_user("admin", username="grace", first_name="Grace", last_name="Hopper")
    make_user("admin", username="gone", is_active=False)
    refused = client_of("support").get("/users/")
    assert refused.status_code == 403
    assert "Administrators: Grace Hopper" in " ".join(text_of(refused).split())
    assert "Administrators:" not in text_of(client_of(username="guest").get("/users/"))


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_shows_what_is_wrong_and_the_next_step(support, case):
    response = case.ask(support)
    page = read_page(response)
    assert response.status_code == case.status
    assert page["title"] == page["heading"] == case.title
    assert case.title not in _PHRASES
    assert case.words in page["words"]
    assert case.title not in page["words"]
    assert page["steps"] == [case.step[::-1]]
    assert page["request_id"] == response.headers["X-Request-ID"]
    assert page["has_frame"] == case.has_frame


@pytest.mark.django_db
def test_page_of_too_many_requests(support, settings):
    settings.PAGES_PER_MINUTE = 1
    support.get("/mentions/")
    response = support.get("/mentions/")
    page = read_page(response)
    assert (response.status_code, page["title"]) == (429, "Too many requests")
    assert re.fullmatch(r"At most 1 requests per minute. Continue in \d+ s\.", page["words"])
    assert page["steps"] == [("/mentions/", "Try again")]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["unknown message", "slow query", "form without a token"])
def test_part_of_a_page_gets_only_the_sentence(support, name):
    support.defaults["HTTP_HX_REQUEST"] = "true"
    case = CASES[name]
    if name == "slow query":
        request = RequestFactory().get("/", headers={"HX-Request": "true"})
        response = problem_response(Problem(503, "query_too_slow", case.words), request)
    else:
        response = case.ask(support)
    text = response.content.decode()
    assert response.status_code == case.status
    assert re.fullmatch(rf"<p data-detail>{re.escape(case.words)}.*</p>\n", text)


@pytest.mark.django_db
def test_titles_of_other_problems_are_those_of_their_status():
    request = RequestFactory().get("/")
    problem = Problem(418, "teapot", "No coffee.")
    assert title_of(problem, request, is_logged_in=True) == HTTPStatus.IM_A_TEAPOT.phrase


@pytest.mark.django_db(transaction=True)
def test_page_of_a_locked_table_is_in_the_frame():
    message, client = make_message(), client_of("support")

    def get() -> HttpResponse:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        return client.get(f"/messages/{message.pk}/")

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE external_call IN ACCESS EXCLUSIVE MODE")
        (response,) = in_threads(get)
    page = read_page(response)
    assert (response.status_code, page["has_frame"]) == (503, True)
    assert page["steps"] == [(f"/messages/{message.pk}/", "Try again")]
    assert response.headers["Retry-After"]
