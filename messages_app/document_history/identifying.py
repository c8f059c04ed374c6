"""Which identifier of a document is its UUID. Source: spec/other-systems.md 1.3."""

from dataclasses import dataclass

from messages_app.document_history.states import MAX_UUID, Rule


@dataclass(frozen=True)
class Identity:
    """
    What identifies a document.

    Args:
        uuid: as the history keeps it; None where none can be assigned.
        given: the identifier that was chosen, however long; empty where there is none.
    """

    uuid: str | None
    given: str

    @property
    def lack(self) -> Rule | None:
        """Why there is no UUID; None where there is one."""
        if self.uuid is not None:
            return None
        return Rule.UUID_TOO_LONG if self.given else Rule.NO_UUID


def identify(*, uuid: str = "", track_id: str = "", event_id: str = "") -> Identity:
    """
    Return the UUID, else the track id, else the event id: the first that has a value, and only that.

    Where the source is silent: empty and blank mean missing; anything else is compared as it is, neither
    trimmed nor folded; with all three missing it is as with one too long (1.3, rules 6 and 9, arrows).
    """
    given = next((text for text in (uuid, track_id, event_id) if text.strip()), "")
    return Identity(uuid=given if 0 < len(given) <= MAX_UUID else None, given=given)
