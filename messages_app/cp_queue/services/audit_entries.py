"""The audit entries of actions on one CP message."""

from collections.abc import Mapping

from messages_app.audit.services import Actor, record_entry


def record_action(
    actor: Actor,
    action: str,
    guid: str,
    *,
    change: tuple[str, str],
    reason: str,
    details: Mapping[str, object] | None = None,
) -> None:
    """
    Write the entry of an action on a message.

    Args:
        change: the state before and after.
    """
    before, after = change
    record_entry(
        actor=actor,
        action=f"{action}_cp_message",
        subject_kind="cp_message",
        subject=guid,
        before_state=before,
        after_state=after,
        reason=reason,
        details=details,
    )
