"""Messages around one moment, for tests of what waits and why."""

from datetime import datetime, timedelta

from messages_app.messages.models import Message
from tests.support.factories import NOON, make_funnel, make_message

# The moment at which everything is explained.
AT = NOON + timedelta(days=1)


def ago(seconds: float) -> datetime:
    return AT - timedelta(seconds=seconds)


def stored(state: str, *, age: float = 60, values: tuple[str, ...] = (), **columns: object) -> Message:
    """Store a message received, started and last touched `age` seconds before AT, with rows of `funnel`."""
    times = (
        "msg_timestamp",
        "receive_timestamp",
        "start_process_timestamp",
        "last_process_timestamp",
    )
    message = make_message(**({"state": state} | dict.fromkeys(times, ago(age)) | columns))
    for value in values:
        make_funnel(message, funnel_value=value)
    return message


def in_funnel(state: str, *, age: float = 60, value: str = "777", **columns: object) -> Message:
    """Store a message that has entered the funnel f, as a new hub keeps it: the value in `funnel`."""
    return stored(state, age=age, values=(value,), **({"funnel_component_id": "f"} | columns))


def ordered(state: str, *, age: float = 60, value: str = "777", **columns: object) -> Message:
    """Store a message of a guaranteed order."""
    return stored(state, age=age, values=(value,), **({"guaranteed_order": True} | columns))
