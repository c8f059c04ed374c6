"""
Samples of each call, to copy: with curl, in Python, and with the Python client. The API description has them
as `x-codeSamples`, which viewers of OpenAPI show, and the manual has some of them.
"""

import json
import keyword
import re
from typing import NamedTuple, TypedDict
from urllib.parse import quote, urlencode

from messages_app.core.api_examples import Description
from messages_app.core.client_names import CLIENT_NAME, is_page

SAMPLES = "x-codeSamples"
_WIDTH = 80
# For what is before a value on its line.
_MARGIN = 20
# Values of parameters in paths. All numbers are one that readers recognize as an example; names are those
# of the answer, or these.
_NUMBER = 4711
_NAMES = {"service_name": "billing", "external_system": "pay.bank.example", "trigger_id": "orders"}
# Print the problem if the call is refused, or only its status for a file, and end with an exit status.
_CURL, _CURL_FILE = "curl -sS --fail-with-body", "curl -sSf -OJ"


class Sample(TypedDict):
    """One sample, with the names of `x-codeSamples`."""

    lang: str
    label: str
    source: str


class _Request(NamedTuple):
    """
    A call with values.

    Args:
        path: the values in its path.
        query: the values after the question mark.
        body: the JSON that is sent; None: none.
        is_file: the answer is a file.
    """

    method: str
    address: str
    path: dict[str, object]
    query: dict[str, object]
    body: object
    is_file: bool


def add_samples(description: Description, *, server: str) -> Description:
    """
    Return a description with samples that go to a server.

    Args:
        server: its address, such as https://hub.example.org.
    """
    paths = {
        address: {
            method: call | {SAMPLES: write_samples(address, method, call, server=server)}
            for method, call in calls.items()
        }
        for address, calls in description["paths"].items()
    }
    return description | {"paths": paths}


def write_samples(address: str, method: str, call: Description, *, server: str) -> list[Sample]:
    """Return the samples of one call, from the examples of its description."""
    request = _make_request(address, method, call)
    samples = [
        Sample(lang="Shell", label="curl", source=_write_curl(request, server)),
        Sample(lang="Python", label="Python", source=_write_python(request, server)),
    ]
    if name := call.get(CLIENT_NAME):
        source = _write_client(request, server, name=name, is_list=is_page(call))
        samples.append(Sample(lang="Python", label="hubconsole-client", source=source))
    return samples


def _make_request(address: str, method: str, call: Description) -> _Request:
    parameters = call.get("parameters", [])
    answer = _read_answer(call)
    return _Request(
        method=method.upper(),
        address=address,
        path={one["name"]: _choose_value(one["name"], answer) for one in parameters if one["in"] == "path"},
        query={
            one["name"]: one["example"] for one in parameters if one["in"] == "query" and "example" in one
        },
        body=_read_body(call),
        is_file=CLIENT_NAME not in call,
    )


def _choose_value(name: str, answer: Description) -> object:
    value = answer.get(name, _NAMES.get(name))
    return value if isinstance(value, str) else _NUMBER


def _read_answer(call: Description) -> Description:
    """Return the example of the answer, if it is an object."""
    for status, answer in call["responses"].items():
        for content in answer.get("content", {}).values():
            if status.startswith("2") and isinstance(content.get("example"), dict):
                return dict(content["example"])
    return {}


def _read_body(call: Description) -> object:
    for content in call.get("requestBody", {}).get("content", {}).values():
        if "examples" in content:
            return next(iter(content["examples"].values()))["value"]
        return content.get("example")
    return None


def _write_address(request: _Request, server: str) -> str:
    """Return the address of a request, without its query."""
    path = re.sub(r"\{(\w+)\}", lambda name: quote(str(request.path[name[1]]), safe=""), request.address)
    return f"{server}{path}"


def _write_curl(request: _Request, server: str) -> str:
    query = f"?{urlencode(request.query, doseq=True)}" if request.query else ""
    method = "" if request.method == "GET" else f" -X {request.method}"
    curl = _CURL_FILE if request.is_file else _CURL
    lines = [
        f"{curl}{method} {_quote_shell(_write_address(request, server) + query)}",
        '-H "Authorization: Bearer $TOKEN"',
    ]
    if request.body is not None:
        body = json.dumps(request.body, ensure_ascii=False, indent=1)
        lines += ["-H 'Content-Type: application/json'", f"-d {_quote_shell(body)}"]
    return " \\\n  ".join(lines)


def _quote_shell(text: str) -> str:
    return "'{}'".format(text.replace("'", "'\\''"))


def _write_python(request: _Request, server: str) -> str:
    lines = [
        f'"{_write_address(request, server)}",',
        'headers={"Authorization": f"Bearer {token}"},',
        *([f"params={_write_value(request.query)},"] if request.query else []),
        *([f"json={_write_value(request.body)},"] if request.body is not None else []),
        "timeout=30,",
    ]
    arguments = "\n".join(_indent_lines(line) for line in lines)
    use = 'Path("answer").write_bytes(answer.content)' if request.is_file else "print(answer.json())"
    imports = "from pathlib import Path\n\nimport requests" if request.is_file else "import requests"
    return (
        f"{imports}\n\nanswer = requests.{request.method.lower()}(\n{arguments}\n)\n"
        f"answer.raise_for_status()\n{use}"
    )


def _write_client(request: _Request, server: str, *, name: str, is_list: bool) -> str:
    positional = [_write_value(value) for value in request.path.values()]
    members = request.query if request.body is None else request.body
    call = _write_call(f"hub.{name}", positional, members)
    use = f"for entry in {call}:\n    print(entry)" if is_list else f"answer = {call}\nprint(answer)"
    return f'from hubconsole_client import Client\n\nhub = Client("{server}", token)\n{use}'


def _write_call(function: str, positional: list[str], members: object) -> str:
    """Return a call with the members of an object as keywords, on one line if they fit."""
    if isinstance(members, dict) and all(_is_keyword(name) for name in members):
        named = [f"{name}={_write_value(value)}" for name, value in members.items()]
    else:
        named = [f"**{_write_value(members)}"]
    arguments = [*positional, *named]
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return f"{function}(\n" + "".join(f"{_indent_lines(argument)},\n" for argument in arguments) + ")"


def _is_keyword(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _write_value(value: object) -> str:
    """Return a value of JSON as Python: on one line if it is short, otherwise a member a line."""
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [f"{json.dumps(name)}: {_write_value(member)}" for name, member in value.items()]
    elif isinstance(value, list):
        opening, closing = "[", "]"
        parts = [_write_value(member) for member in value]
    else:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) <= _WIDTH - _MARGIN and "\n" not in line:
        return line
    return f"{opening}\n" + "".join(f"{_indent_lines(part)},\n" for part in parts) + closing


def _indent_lines(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
