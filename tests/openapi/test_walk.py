"""The OpenAPI document is enough: a caller who knows nothing else walks the whole API."""

import json
import os
from pathlib import Path

import pytest
from django.utils import timezone

from messages_app.cp_queue import services as cp_queue
from messages_app.document_history import services as history
from messages_app.jobs.models import Job
from messages_app.message_store import services as message_store
from messages_app.messages.failing.joining import join
from messages_app.messages.rollups.folding import fold
from messages_app.messages.watching.checking import check_rules
from messages_app.web import api_examples
from tests.api_client import caller
from tests.factories import make_external_call, make_funnel, make_message, make_request, make_response
from tests.histories import ADA, make_trigger, store_entry
from tests.ledgers import store_ledger
from tests.messages_app.messages.watching.rules import make_rule
from tests.openapi.walker import Walker, schema_faults
from tests.queues import guid_of
from tests.queues import store as store_cp
from tests.stores import define, define_orders, make_held_longer, process, set_process
from tests.stores import store as store_message

# Set, the answers are written into the document's examples (docs/development.md).
WRITE = "WRITE_API_EXAMPLES"
# Needs a file that an executor wrote.
NOT_WALKED = {"GET /api/v1/jobs/{job_id}/download/"}
EXAMPLES = Path(api_examples.__file__).with_name("api_examples.json")


def make_world() -> None:
    """Store what a hub would have stored: messages in several states, work that waits, jobs that ended."""
    parent = make_message(state="WAITING")
    failed = make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: refused")
    for message in (failed, make_message(state="POSTPONED", parent_msg_id=parent.pk)):
        make_external_call(message)
        make_response(make_request(message))
        make_funnel(message, funnel_value="account-7")
    fold()
    join()
    make_rule()
    check_rules()
    for outcome in ("done", "failed:too_slow"):
        job = Job.objects.create(kind="cancel", state="done", reason="r", attempt=1, chunk_count=1)
        Job.objects.filter(pk=job.pk).update(finished_at=timezone.now(), filter={"state": "FAILED"})
        store_ledger(job, {make_message(state="CANCEL").pk: outcome}, new_state="CANCEL")
    for state in ("running", "queued"):
        Job.objects.create(kind="restart", state=state, reason="r", attempt=1, chunk_count=1)
    for number in range(4):
        store_cp(f"held {number}", osid=number, lock="rendition-1")
        store_cp(f"free {number}", osid=number + 4)
    cp_queue.dispatch(guid=guid_of("held 0"), service="rendition-1", reason="RETRY")
    make_trigger("closed")
    history.suspend_trigger(trigger_id="closed", because="its resolver does not answer")
    make_trigger("shop")
    for uuid in ("order-1", "order-2"):
        store_entry("processing", trigger_id="shop", uuid=uuid)
        history.check(trigger_id="shop", uuid=uuid)
    define()
    define_orders()
    waiting = [store_message([{"id": 1, "customer": 9}], entity="order") for _ in range(4)]
    for identifier in waiting:
        process(identifier)
    message_store.mute(identifier=waiting[0], actor=ADA, reason="nobody can correct it now")
    stuck = store_message()
    set_process(stuck, status=1)
    make_held_longer(stuck, "1 day")


@pytest.mark.django_db(transaction=True)
class TestDocument:
    def test_is_enough_to_walk_every_operation(self, live_server):
        make_world()
        walker = Walker(live_server.url, caller("admin", "view_payload").token, "/api/v1/schema/")

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
                    if "example" not in content:
                        faults.append(f"{name} has no example")
                        continue
                    found = schema_faults(document, content["schema"], content["example"])
                    faults += [f"{name}: {fault}" for fault in found]
        assert not faults, "\n".join(faults)


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
    return value
