import psycopg
import pytest
from django.core.exceptions import PermissionDenied
from django.db import (
    DataError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)
from django.http import Http404
from django.test import Client, RequestFactory

from messages_app.audit.models import AuditEntry
from messages_app.core.error_handlers import problem_of
from messages_app.core.problems import Problem, problem_response
from tests.support.api_client import ApiClient, caller, problem
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of
from tests.support.threads import in_threads

# Ends the session that waits for a row that another session of this process holds.
_END_WAITING = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def database_error(kind: type[Exception], cause: type[psycopg.Error] | None) -> Exception:
    error = kind("SELECT secret FROM message: it broke")
    error.__cause__ = cause and cause("it broke")
    return error


class TestProblemOf:
    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (database_error(OperationalError, psycopg.errors.LockNotAvailable), "row_busy"),
            (database_error(OperationalError, psycopg.errors.DeadlockDetected), "row_busy"),
            (database_error(OperationalError, psycopg.errors.SerializationFailure), "row_busy"),
            (database_error(OperationalError, psycopg.errors.QueryCanceled), "query_too_slow"),
            (database_error(OperationalError, psycopg.errors.AdminShutdown), "database_unavailable"),
            (database_error(OperationalError, psycopg.errors.TooManyConnections), "database_unavailable"),
            (database_error(OperationalError, None), "database_unavailable"),
            (database_error(InterfaceError, None), "database_unavailable"),
            (database_error(InternalError, psycopg.errors.ReadOnlySqlTransaction), "database_unavailable"),
            (database_error(ProgrammingError, psycopg.errors.InsufficientPrivilege), "database_permission"),
        ],
        ids=lambda value: str(getattr(value, "__cause__", value)),
    )
    def test_asks_to_retry_when_the_database_is_the_cause(self, error, code):
        found = problem_of(error)
        assert (found.status, found.code) == (503, code)
        assert int(found.headers["Retry-After"]) > 0
        assert "SELECT" not in found.detail

    @pytest.mark.parametrize(
        "error", [database_error(DataError, psycopg.errors.DivisionByZero), ValueError("x")]
    )
    def test_has_no_problem_for_a_defect_of_the_console(self, error):
        assert problem_of(error) is None

    @pytest.mark.parametrize(("error", "status"), [(Http404("x"), 404), (PermissionDenied("x"), 403)])
    def test_replaces_the_texts_of_the_framework(self, error, status):
        assert problem_of(error).status == status


@pytest.mark.django_db
class TestHandlers:
    @pytest.mark.parametrize("path", ["nope/", "messages/5/nope/", "messages/5/6/7/", "jobs/1/nope/"])
    def test_answer_an_unknown_address_as_a_problem(self, path):
        assert problem(caller("operator").get(path))["code"] == "not_found"

    def test_answer_an_unknown_page_as_a_page(self):
        response = ApiClient().client.get("/nope/")
        assert response.status_code == 404
        assert b"Page not found" in response.content

    def test_answer_an_unknown_host_without_repeating_it(self):
        response = ApiClient().client.get("/api/v1/messages/", headers={"Host": "evil.example"})
        assert problem(response)["status"] == 400
        assert b"evil" not in response.content

    @pytest.mark.parametrize("referer", ["", "http://evil.example/login/"])
    def test_answer_an_unknown_host_with_a_page_too(self, referer):
        response = Client().get("/login/", headers={"host": "evil.example", "referer": referer})
        assert (response.status_code, response["Content-Type"]) == (400, "text/html; charset=utf-8")
        assert "evil.example" not in response.text

    def test_answer_a_defect_with_an_id_and_nothing_else(self):
        operator = caller("operator")
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message RENAME COLUMN object_id TO elsewhere")
        response = operator.get("messages/5/")
        body = problem(response)
        assert (body["status"], body["code"]) == (500, "internal_error")
        assert body["request_id"] == response.headers["X-Request-ID"]
        assert not any(
            word in response.content for word in (b"Traceback", b"psycopg", b"object_id", b"SELECT")
        )


@pytest.mark.django_db
class TestPages:
    """The page for an error."""

    @pytest.mark.parametrize(
        ("path", "status", "text"),
        [
            ("/nope/", 404, "The console has no such address."),
            ("/messages/99999999/", 404, "No message 99999999, neither live nor archived."),
            ("/messages/99999999/calls/", 404, "No message 99999999, neither live nor archived."),
            ("/jobs/777/", 404, "No job has the id 777."),
            ("/jobs/new/?kind=nope", 400, "kind must be one of"),
            (
                "/messages/5/restart/",
                403,
                "You need the permission restart_message (role operator or admin).",
            ),
        ],
    )
    def test_keeps_menu_and_search_for_users_who_are_logged_in(self, path, status, text):
        response = client_of("support").get(path)
        page = text_of(response)
        assert response.status_code == status
        assert text in page
        assert 'aria-label="Main"' in page
        assert 'role="search"' in page

    def test_has_no_menu_for_users_who_are_not_logged_in(self):
        response = ApiClient().client.get("/nope/")
        assert 'aria-label="Main"' not in text_of(response)

    @pytest.mark.parametrize(
        ("referer", "link"),
        [
            ("http://testserver/messages/?state=FAILED", 'href="/messages/?state=FAILED">Back'),
            ("http://evil.example/messages/", None),
            ("http://testserver/messages/99999999/", None),
            ("//evil.example", None),
            ("http://testserver//evil.example/x", None),
            ("http://[", None),
        ],
    )
    def test_leads_back_to_the_previous_page_of_the_console(self, referer, link):
        response = client_of("support").get("/messages/99999999/", headers={"Referer": referer})
        assert response.status_code == 404
        assert (">Back<" in text_of(response)) is (link is not None)
        assert link is None or link in text_of(response)

    def test_needs_no_database_to_report_that_it_is_unavailable(self, django_assert_num_queries):
        request = RequestFactory().get("/")
        with django_assert_num_queries(0):
            response = problem_response(Problem(503, "database_unavailable", "Away."), request)
        assert "Away." in text_of(response)


@pytest.mark.django_db
class TestFormWithoutToken:
    """A form whose token is missing or from an earlier login."""

    def post(self, client: Client) -> str:
        client.handler.enforce_csrf_checks = True
        response = client.post(
            "/messages/5/cancel/",
            {"reason": "r"},
            headers={"Referer": "http://testserver/messages/5/cancel/?a=1"},
        )
        assert response.status_code == 403
        return text_of(response)

    def test_leads_to_the_log_in_and_back_if_both_cookies_are_gone(self):
        page = self.post(Client())
        assert "<h1>You are logged out</h1>" in page
        assert "Nothing was changed. Log in to return to the page." in page
        assert 'href="/login/?next=%2Fmessages%2F5%2Fcancel%2F%3Fa%3D1">Log in' in page

    def test_leads_a_logged_in_user_back_to_the_form(self):
        page = self.post(client_of("operator"))
        assert "Nothing was changed. Open the page again." in page
        assert 'href="/messages/5/cancel/?a=1">Back' in page


@pytest.mark.django_db(transaction=True)
class TestDatabaseTrouble:
    def test_reports_that_a_row_is_busy_and_changes_nothing(self):
        operator, message = caller("operator"), make_message()

        def post():
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '200ms'")
            return operator.post(f"messages/{message.msg_id}/cancel/", {"reason": "r"}, Idempotency_Key="k")

        with transaction.atomic():
            type(message).objects.select_for_update().get(pk=message.pk)
            (busy,) = in_threads(post)
        assert (problem(busy)["status"], problem(busy)["code"]) == (503, "row_busy")
        assert busy.headers["Retry-After"]
        (then,) = in_threads(post)
        assert (then.status_code, "Idempotent-Replayed" in then.headers) == (200, False)

    def test_rolls_back_an_action_whose_session_ends_and_acts_at_the_next_call(self):
        """Source: docs/contributing/spec/promises.md, F-1, F-4."""
        operator, message = caller("operator"), make_message()

        def post():
            return operator.post(f"messages/{message.msg_id}/cancel/", {"reason": "r"}, Idempotency_Key="k")

        def end_session():
            with connection.cursor() as cursor:
                eventually(lambda: cursor.execute(_END_WAITING).fetchone())

        with transaction.atomic():
            type(message).objects.select_for_update().get(pk=message.pk)
            cut, _ = in_threads(post, end_session)
        assert (problem(cut)["status"], problem(cut)["code"]) == (503, "database_unavailable")
        assert cut.headers["Retry-After"]
        assert not AuditEntry.objects.filter(action="cancel").exists()
        (then,) = in_threads(post)
        assert (then.status_code, "Idempotent-Replayed" in then.headers) == (200, False)
        assert AuditEntry.objects.get(action="cancel").outcome == "done"

    def test_reports_that_a_count_takes_too_long(self):
        operator = caller("operator")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE message IN ACCESS EXCLUSIVE MODE")
            (response,) = in_threads(lambda: operator.get("messages/count/?exact=true"))
        assert (problem(response)["status"], problem(response)["code"]) == (503, "query_too_slow")

    @pytest.mark.parametrize("path", ["/api/v1/messages/", "/messages/"])
    def test_reports_that_the_database_is_unavailable(self, path, settings):
        operator = caller("operator")

        def get():
            broken = connection.settings_dict | {"HOST": "127.0.0.1", "PORT": "1"}
            connection.close()
            connection.settings_dict = broken
            operator.client.cookies["sessionid"] = "a" * 32
            return operator.client.get(path, headers=operator.headers)

        (response,) = in_threads(get)
        assert response.status_code == 503
        assert response.headers["Retry-After"]
        assert b"The database cannot be reached" in response.content
        assert operator.get("messages/").status_code == 200
