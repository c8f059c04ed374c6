"""The OpenAPI document is enough to use the whole API."""

import json
import os
from pathlib import Path

import pytest

from messages_app.core import api_examples
from messages_app.core.api_examples import read_examples
from tests.openapi.walker import Walker, examples_of, schema_faults
from tests.openapi.world import make_world
from tests.support.api_client import caller
from tests.support.factories import make_message

# Set, the answers are written into the document's examples (docs/contributing/development.md).
WRITE = "WRITE_API_EXAMPLES"
# Needs a file that an executor wrote.
NOT_WALKED = {"GET /api/v1/jobs/{job_id}/download/"}
EXAMPLES = Path(api_examples.__file__).with_name("api_examples.json")


@pytest.mark.django_db(transaction=True)
class TestDocument:
    def test_is_enough_to_check_every_operation(self, live_server, settings):
        settings.WEBHOOK_HOSTS = ["hooks.example.org"]
        make_world()
        headers = caller("admin", "view_payload", "edit_payload", "history_service").headers
        walker = Walker(live_server.url, headers, "/api/v1/schema/")

        walker.walk()

        faults = [fault for operation in walker.operations for fault in operation.faults]
        undone = {
            each.name: [(status, str(answer)[:300]) for status, answer in each.answers[-2:]]
            for each in walker.operations
            if not each.is_done
        }
        if os.environ.get(WRITE):
            _write(walker)
        assert not faults, "\n".join(faults[:50])
        assert set(undone) <= NOT_WALKED, json.dumps(undone, indent=1)
        assert len(walker.operations) > 90


@pytest.mark.django_db
class TestExamples:
    def test_are_of_every_call_and_as_its_schema_says(self):
        answer = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
        document, faults = json.loads(answer.content), []
        for address, calls in document["paths"].items():
            for method, call in calls.items():
                for place, content in _contents(call):
                    name = f"{method.upper()} {address} {place}"
                    if name.startswith(tuple(NOT_WALKED)) or "schema" not in content:
                        continue
                    examples = list(examples_of(content))
                    if not examples:
                        faults.append(f"{name} has no example")
                    for example in examples:
                        found = schema_faults(document, content["schema"], example)
                        faults += [f"{name}: {fault}" for fault in found]
        assert not faults, "\n".join(faults)

    def test_of_other_bodies_are_accepted(self):
        make_message(state="FAILED", service_name="billing", payload="<o><currency>CFH</currency></o>")
        requests = read_examples()["POST /api/v1/jobs/"]["other_requests"]
        assert {body["kind"] for body in requests.values()} == {"resend"}
        editor = caller("operator", "view_payload", "edit_payload")
        for body in requests.values():
            answer = editor.post("jobs/", body)
            assert answer.status_code == 202, answer.content
            assert answer.json()["options"].items() >= body["options"].items()


def _contents(call: dict):
    for kind, content in call.get("requestBody", {}).get("content", {}).items():
        yield f"body {kind}", content
    for status, answer in call["responses"].items():
        for kind, content in answer.get("content", {}).items():
            if kind.endswith("json"):
                yield f"{status}", content


def _write(walker: Walker) -> None:
    """Put the answers into the document's examples."""
    known = json.loads(EXAMPLES.read_text())
    for operation in walker.operations:
        if isinstance(operation.answer, dict) and operation.address != "/api/v1/schema/":
            known.setdefault(operation.name, {})["response"] = _shortened(operation.answer)
    EXAMPLES.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _shortened(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in value[:1]]
    # A search for leaked keys must not find any here.
    return "hubc_..." if isinstance(value, str) and value.startswith("hubc_") else value
