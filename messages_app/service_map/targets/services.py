"""The only write to profiles: the owner, the runbook and the targets of a service or system."""

from typing import TypedDict

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.edit_versions import EditConflict
from messages_app.core.statements import Statements
from messages_app.service_map.participants import Participant
from messages_app.service_map.targets.models import Profile
from messages_app.shared.took_steps import last_step_within

statements = Statements("messages_app.service_map.targets")


class ProfileColumns(TypedDict):
    """The columns that users set; None and an empty text remove a value."""

    owner: str
    runbook: str
    within_seconds: int | None
    within_share: float | None
    failed_share: float | None


def read_profile(participant: Participant) -> Profile:
    """Return the stored profile, or an empty one with version 0."""
    key = {"kind": str(participant.kind), "name": participant.name}
    return Profile.objects.filter(**key).first() or Profile(**key, version=0)


def save_profile(
    participant: Participant, *, version: str, columns: ProfileColumns, actor: audit.Actor, reason: str
) -> None:
    """
    Store the profile of a participant.

    Args:
        version: of the profile that the user has seen.

    Raises:
        EditConflict: the stored profile has another version.
    """
    before = read_profile(participant)
    key = {"kind": str(participant.kind), "name": participant.name}
    with transaction.atomic():
        values = {**key, **columns, "version": version, "within_step": _find_step(columns["within_seconds"])}
        if statements.count("save_profile", values) != 1:
            raise EditConflict
        audit.record_entry(
            actor=actor,
            action="change_targets",
            subject_kind=str(participant.kind),
            subject=participant.name,
            reason=reason,
            details={
                "before": {name: getattr(before, name) for name in columns},
                "after": dict(columns),
            },
        )


def _find_step(seconds: int | None) -> int | None:
    return None if seconds is None else last_step_within(seconds)
