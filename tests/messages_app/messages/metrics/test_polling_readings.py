"""The ids of each reading of a poll, at both ends of its range."""

from collections import defaultdict

import pytest

from messages_app.messages.metrics import polling
from messages_app.messages.metrics.models import PolledMessage
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db

NONE = {"front": 0, "safe": 0, "late_until": 0, "watch_from": 0, "sweep_from": 0}
MOST = {"most": 0, "recent": 0, "open": 0, "sweep": 0}


@pytest.fixture(autouse=True)
def messages() -> None:
    """Store messages 1 to 6, the last ones first, and what the console knows of 2 to 8."""
    for msg_id in (6, 5, 4, 3, 2, 1):
        make_message(msg_id=msg_id, state="NEW")
    states = {8: "NEW", 7: "CANCEL", 6: "OK", 5: "FAILED", 4: "NEW", 3: "WAITING", 2: "PROCESSING"}
    for msg_id, state in states.items():
        PolledMessage.objects.create(
            msg_id=msg_id,
            state=state,
            service_name="s",
            operation_name="o",
            source_system="s",
            failed_error_code="",
            receive_timestamp=NOON,
        )


def ids(**values: int) -> dict[str, list[int]]:
    found = defaultdict(list)
    for name, msg_id in polling.statements.fetch_rows("ids_to_poll", NONE | MOST | values):
        found[name].append(msg_id)
    return dict(found)


@pytest.mark.parametrize(
    ("values", "readings"),
    [
        ({"front": 3, "most": 2}, {"new": [4, 5]}),
        ({"front": 3, "recent": 2}, {"recent": [3, 2]}),
        ({"front": 6, "safe": 2, "late_until": 4, "most": 9}, {"late": [3, 4]}),
        ({"front": 6, "safe": 1, "late_until": 4, "most": 2}, {"late": [2, 3]}),
        ({"watch_from": 3, "open": 3}, {"open": [3, 4, 5]}),
        ({"watch_from": 6, "open": 3}, {"open": [8]}),
        ({"sweep_from": 5, "sweep": 2}, {"sweep": [5, 6], "known": [5, 6]}),
        ({"sweep_from": 6, "sweep": 2}, {"sweep": [6], "known": [6, 7]}),
    ],
)
def test_a_reading_has_the_next_ids_from_its_position(values, readings):
    assert ids(**values) == readings
