"""
A client that uses only the OpenAPI document: it calls every operation until each has succeeded.

It sends the examples of the document. Ids in an address or a body come from earlier answers, by their names;
if one fails (404, 409), the next is used.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from jsonschema import Draft202012Validator

_ROUNDS = 4
_TRIES = 40
# Calls that remove an object, with the calls that must be tried before.
_ENDS = ("/delete/", "/remove/")
# Endings of names of values that only an earlier answer can contain.
_TOLD = ("id", "guid", "token", "uuid", "identifier", "service", "servicename", "queuename")


@dataclass
class Operation:
    """One operation of the document, and the outcome of its calls."""

    method: str
    address: str
    spec: dict
    answers: list[tuple[int, object]] = field(default_factory=list)
    answer: object = None
    is_done: bool = False
    faults: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.method} {self.address}"

    @property
    def creates(self) -> bool:
        return "201" in self.spec["responses"]

    @property
    def tells(self) -> bool:
        """Whether its answer may tell what others ask for: lists do, and what gives out tokens."""
        is_list = self.method == "GET" and not self.path_names
        gives = self.answer if isinstance(self.answer, dict) else {}
        return is_list or any(name.lower() == "token" for name in gives)

    @property
    def path_names(self) -> list[str]:
        return [each["name"] for each in self.spec.get("parameters", []) if each["in"] == "path"]


class Walker:
    """Calls the API that a document describes; `headers` say who calls."""

    def __init__(self, root: str, headers: dict[str, str], document_address: str) -> None:
        self._connection = HTTPConnection(urlsplit(root).netloc, timeout=30)
        self._headers = headers
        _, text = self._send("GET", document_address, None, accept="application/vnd.oai.openapi+json")
        self.document = json.loads(text)
        self.operations = [
            Operation(method.upper(), address, spec)
            for address, calls in self.document["paths"].items()
            for method, spec in calls.items()
        ]
        self._known: list[dict] = []  # records of answers, the newest first

    def walk(self) -> None:
        """Call everything, what makes things before what acts on them, until nothing more succeeds."""
        with closing(self._connection):
            self._walk()

    def _walk(self) -> None:
        ends = [each for each in self.operations if each.address.endswith(_ENDS) or each.method == "DELETE"]
        others = sorted((each for each in self.operations if each not in ends), key=_order)
        for _ in range(_ROUNDS):
            done_before = sum(operation.is_done for operation in others)
            for operation in others:
                if not operation.is_done or operation.tells:
                    self._call(operation)
            done = sum(operation.is_done for operation in others)
            if done in {done_before, len(others)}:
                break
        for operation in ends:
            self._call(operation)

    def _call(self, operation: Operation) -> None:
        for count, (address, body) in enumerate(self._calls(operation)):
            status, text = self._send(operation.method, address, body)
            answer = json.loads(text) if text[:1] in (b"{", b"[") else text.decode(errors="replace")
            operation.answers.append((status, answer))
            operation.faults += [f"{address}: {fault}" for fault in self._faults(operation, status, answer)]
            if status < 300:
                operation.answer, operation.is_done = answer, True
                self._learn(answer)
                return
            # A caller without permission gets none by another body; jobs of other users may be approved.
            if (status == 403 and not operation.path_names) or count >= _TRIES:
                return

    def _calls(self, operation: Operation) -> Iterator[tuple[str, dict | None]]:
        """Yield addresses and bodies to try: the document's example, with values of earlier answers."""
        query = {
            each["name"]: each["example"]
            for each in operation.spec.get("parameters", [])
            if each["in"] == "query" and (each.get("required") and "example" in each)
        }
        example = _example(operation.spec)
        tail = f"?{urlencode(query, doseq=True)}" if query else ""
        if operation.path_names:
            (name,) = operation.path_names
            for value in dict.fromkeys(self._values(name)):
                address = operation.address.replace("{" + name + "}", quote(str(value), safe=""))
                yield address + tail, example
            return
        yield operation.address + tail, example
        told = [name for name in example or {} if name.lower().endswith(_TOLD)]
        changes = [
            {name: value for name in told if (value := _value(record, name)) is not None}
            for record in self._known
        ]
        # First the ones that tell most of what is asked for, and of them the newest.
        for change in sorted(filter(None, changes), key=len, reverse=True):
            yield operation.address + tail, example | change

    def _values(self, name: str) -> Iterator[object]:
        for record in self._known:
            if (value := _value(record, name)) is not None:
                yield value

    def _learn(self, answer: object) -> None:
        """Keep every object in an answer."""
        if isinstance(answer, list):
            for each in reversed(answer):
                self._learn(each)
        elif isinstance(answer, dict):
            for each in answer.values():
                self._learn(each)
            self._known.insert(0, answer)

    def _faults(self, operation: Operation, status: int, answer: object) -> Iterator[str]:
        """Yield what an answer has otherwise than the document says."""
        described = operation.spec["responses"].get(str(status))
        if described is None:
            yield f"{status} is not in the document: {str(answer)[:200]}"
            return
        for kind, content in described.get("content", {}).items():
            if kind.endswith("json") and content.get("schema"):
                yield from schema_faults(self.document, content["schema"], answer)

    def _send(self, method: str, address: str, body: object, *, accept: str = "*/*") -> tuple[int, bytes]:
        headers = self._headers | {"Accept": accept, "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = uuid4().hex
        self._connection.request(method, address, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()


def schema_faults(document: dict, schema: dict, value: object) -> Iterator[str]:
    """Yield where a value is not as a schema of the document has it."""
    whole = {**schema, "components": document["components"]}
    for error in Draft202012Validator(whole).iter_errors(value):
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def _example(spec: dict) -> dict | None:
    """Return the first example of the body, if any."""
    content = spec.get("requestBody", {}).get("content", {})
    return next(examples_of(content.get("application/json", {})), None)


def examples_of(content: dict) -> Iterator[dict]:
    """Yield the examples of a body or an answer."""
    if "example" in content:
        yield content["example"]
    yield from (each["value"] for each in content.get("examples", {}).values())


def _order(operation: Operation) -> tuple[int, int, bool]:
    """Lists first, then what creates, then what checks one thing, then what acts on one."""
    kind = ("GET", "POST", "PATCH").index(operation.method)
    return len(operation.path_names), kind, not operation.creates


def _value(record: dict, name: str) -> object:
    """Return what a record has by a name, which answers may write longer, as in message_identifier."""
    whole = name.lower()
    wanted = (whole, whole.removesuffix("name") if whole != "queuename" else whole)
    for known, value in record.items():
        if isinstance(value, str | int) and value != "" and known.lower().endswith(wanted):
            return value
    return None
