"""
The catalogue before a real web process, which fails at nothing and stays small
(docs/contributing/spec/promises.md, S-40).
"""

import json
from collections.abc import Iterator

import pytest

from messages_app.messages.models import Message
from tests.bad_input.cases import Case
from tests.bad_input.scene import Scene
from tests.bad_input.test_catalogue import SECTIONS
from tests.bad_input.wire import Scales, Web, bytes_of, serving, status_of

pytestmark = pytest.mark.django_db(transaction=True)

MAX_BYTES = 200_000_000  # the floor's


@pytest.fixture
def web() -> Iterator[Web]:
    with serving() as found:
        yield found


def sent(web: Web, scene: Scene, case: Case) -> bytes:
    """Send a case and what comes before it; what earlier cases did is not taken back."""
    if case.payload is not None:
        Message.objects.filter(pk=scene.names["payload"]).update(payload=case.payload)
    names = dict(scene.names)
    for call, body in case.after:
        before = Case(row=case.row, call=call, answer="", body=body, role=case.role, headers=case.headers)
        text = web.send(bytes_of(scene.request(before, names))).partition(b"\r\n\r\n")[2]
        names |= json.loads(text) if text.startswith(b"{") else {}
    return web.send(bytes_of(scene.request(case, names)))


@pytest.mark.slow
class TestWeb:
    def test_fails_at_nothing_and_has_less_than_200_mb(self, web):
        scene = Scene()
        cases = [case for section in SECTIONS.values() for case in section.cases]
        web.send(bytes_of(scene.request(Case(row="", call="GET /messages/", answer=""), scene.names)))
        with Scales(web.processes()) as scales:
            statuses = [status_of(sent(web, scene, case)) for case in cases]
        # It was heard and understood: as whom it asks, and what.
        assert statuses.count(200) > 100
        assert {case.call for case, status in zip(cases, statuses, strict=True) if status == 500} == set()
        assert scales.heaviest() < MAX_BYTES
