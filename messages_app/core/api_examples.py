"""
Examples in the API description: a request and an answer for each call.

They are in api_examples.json, by method and address. A test records the answers from a server
(tests/openapi), so the examples always match the API.
"""

import json
from functools import cache
from importlib import resources
from typing import Any, TypedDict

from messages_app.core.problems import CONTENT_TYPE, Problem, bad_field, not_found, problem_body

# The JSON of OpenAPI as drf-spectacular builds it. The form of each part depends on its place.
Description = dict[str, Any]

_JSON = "application/json"
_ID = "6f1c2b0e-5d5c-4c55-9d0a-1f5f2f7d8a10"
# An example of a problem for each status.
_PROBLEMS = {
    str(problem.status): problem
    for problem in (
        bad_field("stat", "unknown_parameter", "Unknown parameter 'stat'. Did you mean 'state'?"),
        Problem(401, "token_expired", "This token has expired."),
        Problem(
            403,
            "permission_denied",
            "You need the permission restart_message (role operator or admin). Ask an administrator.",
        ),
        not_found("No message has the id '777'."),
        Problem(
            409,
            "state_conflict",
            "Message 5 is OK; this is possible only from FAILED.",
            extra={"current_state": "OK"},
        ),
        Problem(410, "gone", "The file has expired; start the export again for a new one."),
        Problem(411, "length_required", "Send the body with a Content-Length."),
        Problem(412, "precondition_failed", "Message 5 is OK, not FAILED.", extra={"current_state": "OK"}),
        Problem(413, "body_too_large", "The body can have at most 2621440 bytes."),
        Problem(415, "unsupported_media_type", "Send application/json."),
        Problem(
            422, "idempotency_key_reused", "This Idempotency-Key was already used for a different request."
        ),
        Problem(429, "rate_limited", "At most 6000 requests per minute. Continue in 12 s."),
        Problem(503, "query_too_slow", "This takes too long. Narrow the filter or the time range."),
    )
}


class Example(TypedDict, total=False):
    """
    The request and answer of one call. Parts that the call does not have are absent.

    `other_requests` are by name: bodies of a call that differ much from `request`, which has the answer.
    """

    request: object
    other_requests: dict[str, object]
    parameters: dict[str, object]
    response: object


@cache
def read_examples() -> dict[str, Example]:
    """
    Return by "METHOD address" the request ("request", "other_requests", "parameters") and the answer
    ("response") of a call.
    """
    text = resources.files(__package__).joinpath("api_examples.json").read_text(encoding="utf-8")
    examples: dict[str, Example] = json.loads(text)
    return examples


def simplify_document(result: Description, generator: object, request: object, public: bool) -> Description:
    """
    Describe a field of any JSON by an empty schema. drf-spectacular calls this.

    The schema that the library writes, "anything, or null", rejects null, because null matches both parts.
    """
    return {name: _simplify_part(part) for name, part in result.items()}


def _simplify_part(part: object) -> object:
    if isinstance(part, list):
        return [_simplify_part(each) for each in part]
    if not isinstance(part, dict):
        return part
    rest = {name: _simplify_part(value) for name, value in part.items()}
    if rest.get("oneOf") == [{}, {"type": "null"}]:
        del rest["oneOf"]
    return rest


def add_examples(result: Description, generator: object, request: object, public: bool) -> Description:
    """Add the examples to a description. drf-spectacular calls this."""
    for address, calls in result["paths"].items():
        for method, call in calls.items():
            _add_example(call, read_examples().get(f"{method.upper()} {address}", Example()))
    return result


def _add_example(call: Description, example: Example) -> None:
    for content in call.get("requestBody", {}).get("content", {}).values():
        if "other_requests" in example:  # The description of a body has an example, or examples by name.
            requests = {"first": example["request"], **example["other_requests"]}
            content["examples"] = {name: {"value": body} for name, body in requests.items()}
        elif "request" in example:
            content["example"] = example["request"]
    for parameter in call.get("parameters", []):
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
    for status, answer in call["responses"].items():
        for kind, content in answer.get("content", {}).items():
            if kind == CONTENT_TYPE:
                content["example"] = problem_body(_PROBLEMS[status], request_id=_ID)
            elif kind == _JSON and "response" in example:
                content["example"] = example["response"]
