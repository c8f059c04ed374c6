"""The page of the calls of the API, from its description."""

import re
from typing import Any

from messages_app.core.api_docs import describe_api
from messages_app.core.api_samples import write_samples
from messages_app.core.client_names import CLIENT_NAME
from tests.support.reference.markdown import write_block, write_page, write_paragraph, write_table

_SERVER = "https://hub.example.org"
_INTRODUCTION = (
    "Addresses begin below `/api/v1/`. `/api/v1/docs/` of the console has all parameters, bodies and answers,"
    " and samples of each call to copy: with curl, in Python with `requests`, and with the [Python"
    " client](../howto/use_the_python_client.md). This page has those of one call of each group.",
    "Replace `https://hub.example.org` with the address of your console, and numbers such as `4711` and names"
    " such as `billing` with yours. `$TOKEN` and `token` are [a"
    " token](../howto/users_and_tokens.md#create-a-token); it needs the [scope](scopes.md) of the call. `hub`"
    " is `Client(address, token)`. A call that is refused prints the [error code](errors.md).",
    "Lists use paging by cursor: `results` has the entries of a page, and `next` the address of the next page"
    " or `null` on the last one. Follow `next` as it is given. `page_size` sets the entries of a page, up to"
    " 500. A loop over a list of the client reads all pages.",
)
_SCOPE = re.compile(r"Required scope of a token that has scopes: (.*)\.")
_HEADINGS = {"cp-queue": "CP queue"}
_LANGUAGES = {"Shell": "sh", "Python": "python"}


def write_calls() -> str:
    """Return the page of the calls: each as an address and as a method of the client."""
    description = describe_api()
    groups: dict[str, list[tuple[str, str, Any]]] = {}
    for address, calls in description["paths"].items():
        for method, call in calls.items():
            groups.setdefault(call["tags"][0], []).append((address, method, call))
    schemas = description["components"]["schemas"]
    parts = [part for tag, calls in groups.items() for part in _write_group(tag, calls, schemas)]
    return write_page("Calls of the API", *map(write_paragraph, _INTRODUCTION), *parts)


def _write_group(tag: str, calls: list[tuple[str, str, Any]], schemas: Any) -> list[str]:
    # A call with a body shows more.
    address, method, call = next((one for one in calls if "requestBody" in one[2]), calls[0])
    samples = [
        write_block(_LANGUAGES[one["lang"]], one["source"])
        for one in write_samples(address, method, call, server=_SERVER)
    ]
    rows = [_describe_call(address, method, call, schemas) for address, method, call in calls]
    return [
        f"## {_write_heading(tag)}",
        write_table(("call", "with the client", "effect"), rows),
        *samples,
    ]


def _write_heading(tag: str) -> str:
    """Return a group's name as the manual writes it."""
    return _HEADINGS.get(tag, tag.replace("-", " ").capitalize())


def _describe_call(address: str, method: str, call: Any, schemas: Any) -> tuple[str, str, str]:
    words = " ".join(call.get("description", "").split())
    scope = f" Scope {match[1]}." if (match := _SCOPE.search(words)) else ""
    short = address.removeprefix("/api/v1/")
    first = words.split(". ")[0].rstrip(". ")
    return f"`{method.upper()} {short or '/'}`", _write_method(call, schemas), f"{first}.{scope}"


def _write_method(call: Any, schemas: Any) -> str:
    """Return the method of the client with the arguments that it must have."""
    if CLIENT_NAME not in call:
        return ""
    body = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    required = schemas.get(str(body.get("$ref", "")).rpartition("/")[2], {}).get("required", ())
    arguments = [one["name"] for one in call.get("parameters", ()) if one["in"] == "path"]
    arguments += [
        f"{one['name']}=..."
        for one in call.get("parameters", ())
        if one["in"] == "query" and one.get("required")
    ]
    arguments += [f"{name}=..." for name in required]
    return f"`hub.{call[CLIENT_NAME]}({', '.join(arguments)})`"
