"""
The running hub that the console is attached to, and the one rule about what it cannot do there yet.

An attached console sees the hub's tables as views (messages_app/attach). Source: docs/howto/attach.md.
"""

from enum import StrEnum
from functools import cache

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.problems import Problem

NOT_ATTACHED_FOR_THIS = "not_attached_for_this"
_DEFAULT_RULES = "cleverbus"


class Attachment(models.Model):
    """
    The hub of this installation: one row, or none if the console has its own tables.

    Attributes:
        archive_schema: the schema of its archive tables; empty without them.
        family: the label of the releases that have such tables (attach/layouts.py).
        rules: its rule set, which `HUB_RULES` must not contradict.
        time_zone: the zone of the hub's Java process, in which its tables have times.
        fingerprint: of the hub's catalog before anything was created on its tables.
        has_triggers: the hub's changes are recorded as it makes them.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    hub_schema = models.TextField()
    archive_schema = models.TextField(blank=True)
    family = models.TextField()
    rules = models.TextField()
    time_zone = models.TextField()
    fingerprint = models.TextField()
    has_triggers = models.BooleanField()
    attached_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "attachment"
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=Q(id=1), name="attachment_is_one")]

    def __str__(self) -> str:
        return f"{self.family} in the schema {self.hub_schema}"


class Feature(StrEnum):
    """Features that an attached console lacks, as the end of a sentence."""

    ARCHIVE = "archive or restore messages"
    DEMO = "load or play the demo"
    ERASE = "erase the data of a subject"
    LOAD = "load messages"
    ROLES = "give its parts their own database roles"


class NotAttachedForThis(Problem):
    """The console is attached to a hub, on which it cannot do this yet."""

    def __init__(self, feature: Feature) -> None:
        super().__init__(
            409,
            NOT_ATTACHED_FOR_THIS,
            f"This console is attached to a running hub, where it cannot {feature}.",
        )


def attachment() -> Attachment | None:
    """Return the hub that the console is attached to, or None."""
    return Attachment.objects.first()


def hub_time_zone() -> str | None:
    """Return the time zone of the attached hub's tables; None if the tables are the console's own."""
    found = attachment()
    return found.time_zone if found else None


def time_zone() -> str:
    """Return `HUB_TIME_ZONE`; if it is not set, the zone of the attached hub, or else UTC."""
    return settings.HUB_TIME_ZONE or hub_time_zone() or "UTC"


@cache
def rules_of_hub(database: str) -> str:
    """Return the rule set of the attached hub, or the default one. A process reads it once."""
    found = attachment()
    return found.rules if found else _DEFAULT_RULES


def refuse_if_attached(feature: Feature) -> None:
    """
    Refuse what an attached console cannot do yet.

    Raises:
        NotAttachedForThis: the console is attached to a hub.
    """
    if attachment():
        raise NotAttachedForThis(feature)
