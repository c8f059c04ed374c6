"""A queue's messages by the type of their objects. Source: spec/other-systems.md 3.9."""

from dataclasses import dataclass

from messages_app.cp_queue.sending import rows_of
from messages_app.cp_queue.states import SUB_TYPES

_FENCE, _MOST = 5_000, 12


@dataclass(frozen=True, kw_only=True)
class OfType:
    """How many messages of a queue are about objects of one type, and how many of them are reserved."""

    object_type: int
    messages: int
    reserved: int

    @property
    def main_type(self) -> int:
        return self.object_type // SUB_TYPES

    @property
    def sub_type(self) -> int:
        return self.object_type % SUB_TYPES


def object_types(queue: str) -> list[OfType]:
    """Return the types that are met most, of the first 5000 messages by object; up to twelve."""
    rows = rows_of("object_types", {"queue": queue, "fence": _FENCE, "most": _MOST})
    return [OfType(object_type=kind, messages=count, reserved=held) for kind, count, held in rows]
