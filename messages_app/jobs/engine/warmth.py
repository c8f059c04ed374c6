"""How far this process's Spark session is. Loads no Spark: health checks ask for it in every process."""

from enum import StrEnum


class Warmth(StrEnum):
    """What a job finds."""

    NONE = ""  # nobody warms a session here
    STARTING = "starting"  # there is no session yet
    WARMING = "warming"  # there is one, which has not yet done what jobs do
    WARM = "warm"


class _State:
    warmth = Warmth.NONE
    session_id = ""


def warmth() -> Warmth:
    return _State.warmth


def is_cold(session_id: str) -> bool:
    """Return whether a session is to be warmed up and was not yet: a restarted Spark has given a new one."""
    return _State.warmth is not Warmth.NONE and _State.session_id != session_id


def set_warmth(warmth: Warmth, *, session_id: str = "") -> None:
    """
    Args:
        session_id: which session is warm.
    """
    _State.warmth, _State.session_id = warmth, session_id
