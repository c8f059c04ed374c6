"""
The state of this process's Spark session. Does not import Spark, because health checks ask every process.
"""

from enum import StrEnum


class Warmth(StrEnum):
    """The state of the session that a job gets."""

    NONE = ""  # This process does not keep a session.
    STARTING = "starting"  # There is no session yet.
    WARMING = "warming"  # The session has not yet run the statements of jobs.
    WARM = "warm"


class _State:
    warmth = Warmth.NONE
    session_id = ""


def current_warmth() -> Warmth:
    return _State.warmth


def is_cold(session_id: str) -> bool:
    """Whether a session is not warmed up yet, for example the new session of a restarted Spark server."""
    return _State.warmth is not Warmth.NONE and _State.session_id != session_id


def set_warmth(warmth: Warmth, *, session_id: str = "") -> None:
    """
    Args:
        session_id: the session that is warm.
    """
    _State.warmth, _State.session_id = warmth, session_id
