"""The state of this process's Spark session. Does not load Spark: health checks ask every process."""

from enum import StrEnum


class Warmth(StrEnum):
    """The state of the session that a job gets."""

    NONE = ""  # this process does not keep a session
    STARTING = "starting"  # there is no session yet
    WARMING = "warming"  # there is a session, which has not yet run what jobs run
    WARM = "warm"


class _State:
    warmth = Warmth.NONE
    session_id = ""


def warmth() -> Warmth:
    return _State.warmth


def is_cold(session_id: str) -> bool:
    """Return whether a session has yet to be warmed up, such as the new session of a restarted Spark."""
    return _State.warmth is not Warmth.NONE and _State.session_id != session_id


def set_warmth(warmth: Warmth, *, session_id: str = "") -> None:
    """
    Args:
        session_id: the session that is warm.
    """
    _State.warmth, _State.session_id = warmth, session_id
