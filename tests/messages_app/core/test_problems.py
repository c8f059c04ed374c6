import json

import pytest
from django.test import RequestFactory

from messages_app.core.problems import (
    FieldError,
    Problem,
    bad_input,
    not_found,
    problem_response,
    problems_for,
    quote_value,
    unknown_name,
)


def request(path: str):
    made = RequestFactory().get(path)
    made.request_id = "r-1"
    return made


class TestProblemResponse:
    def test_is_problem_json_below_api(self):
        problem = Problem(
            409, "state_conflict", "It is OK.", extra={"current_state": "OK"}, headers={"X-A": "b"}
        )
        response = problem_response(problem, request("/api/v1/nope/"))
        assert (response.status_code, response.headers["Content-Type"]) == (409, "application/problem+json")
        assert response.headers["X-A"] == "b"
        assert json.loads(response.content) == {
            "type": "about:blank",
            "title": "Conflict",
            "status": 409,
            "code": "state_conflict",
            "detail": "It is OK.",
            "request_id": "r-1",
            "current_state": "OK",
        }

    def test_is_a_page_with_the_same_text_elsewhere(self):
        response = problem_response(
            Problem(409, "state_conflict", "It is <b>OK</b>."), request("/messages/5/")
        )
        text = response.content.decode()
        assert (response.status_code, response.headers["Content-Type"]) == (409, "text/html; charset=utf-8")
        assert "It is &lt;b&gt;OK&lt;/b&gt;." in text
        assert "r-1" in text


class TestBadInput:
    def test_lists_every_field(self):
        errors = [
            FieldError("a", "required", "a is required."),
            FieldError("b", "too_long", "b is too long."),
        ]
        problem = bad_input(errors)
        assert (problem.status, problem.code) == (400, "required")
        assert problem.detail == "a is required. b is too long."
        assert problem.errors == errors


class TestProblemsFor:
    as_problems = staticmethod(
        problems_for(
            {
                KeyError: lambda error: not_found(f"No {error.args[0]}."),
                LookupError: lambda error: Problem(409, "state_conflict", str(error)),
            }
        )
    )

    @pytest.mark.parametrize(
        ("error", "status", "detail"),
        [(KeyError("job"), 404, "No job."), (IndexError("Ended."), 409, "Ended.")],
    )
    def test_answers_by_the_first_class_that_matches(self, error, status, detail):
        with pytest.raises(Problem) as raised, self.as_problems():
            raise error
        assert (raised.value.status, raised.value.detail) == (status, detail)
        assert raised.value.__suppress_context__

    def test_passes_other_exceptions_on(self):
        with pytest.raises(ValueError, match="other"), self.as_problems():
            raise ValueError("other")


class TestShown:
    def test_cuts_and_escapes(self):
        assert quote_value("a" * 81) == repr("a" * 80 + "...")
        assert quote_value("a\r\nb\0") == "'a\\r\\nb\\x00'"


class TestUnknownName:
    def test_suggests_only_what_is_near(self):
        assert unknown_name("filter", "stat", ["state", "object_id"]).endswith("Did you mean 'state'?")
        assert unknown_name("filter", "zzz", ["state"]) == "Unknown filter 'zzz'."
