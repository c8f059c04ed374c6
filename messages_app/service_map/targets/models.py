"""
Owners, runbooks and targets of services and external systems, which people set.

Source: docs/how_it_works/calls.md, "Targets".
"""

from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.shared.system_names import MAX_SYSTEM

MAX_OWNER, MAX_RUNBOOK = 150, 500


class Profile(PlainModel):
    """
    The owner, the runbook and the targets of a service or system. Profiles are changed, never removed.

    Attributes:
        kind: a Kind of participants.py.
        within_seconds, within_share: this share (0 to 1) of messages or calls must end within this time.
        within_step: the last step of durations that counts as within it.
        failed_share: at most this share may fail.
        version: counts the changes, so that no one overwrites a change that they have not seen.
    """

    pk = models.CompositePrimaryKey("kind", "name")
    kind = models.CharField(max_length=10)
    name = models.CharField(max_length=MAX_SYSTEM)
    owner = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    runbook = models.CharField(max_length=MAX_RUNBOOK, blank=True, default="")
    within_seconds = models.IntegerField(null=True)
    within_step = models.SmallIntegerField(null=True)
    within_share = models.FloatField(null=True)
    failed_share = models.FloatField(null=True)
    version = models.IntegerField()
    changed_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "participant_profile"
