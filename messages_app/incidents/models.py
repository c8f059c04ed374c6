"""
Incidents, the counted failures that they gather, and the decisions of people about them.

A storm of failures has high counts, not many rows: failures that nothing distinguishes except their time are
one cell, which has one count a minute.
Source: docs/how_it_works/incidents.md; docs/contributing/decisions/0040-incidents.md.
"""

from enum import StrEnum

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.core.transaction_locks import TransactionLock
from messages_app.shared.failure_texts import CHARACTERS
from messages_app.shared.system_names import MAX_SYSTEM

# The kind of incidents in the audit log.
SUBJECT_KIND = "incident"

# The pass that gathers failures, and each change by a person.
GATHERING = TransactionLock("hubconsole incident")

MAX_TITLE, MAX_OWNER = 200, 150


class IncidentState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Decision(StrEnum):
    """
    A decision of a person that the rule follows.

    `belongs`: the cell belongs to the incident. `never`: it never does. `apart`: the rule never merges the
    incident with the other one.
    """

    BELONGS = "belongs"
    NEVER = "never"
    APART = "apart"


class Incident(models.Model):
    """
    Failures with one cause. Incidents are never removed.

    Attributes:
        began_at: the minute of its first failure.
        last_failure_at: the minute of its last failure.
        closed_by: who closed it; "system" if it ended by the rule.
        is_held_open: a person reopened it, so the rule does not close it.
        failures: the number of its failures; a message can fail more than once.
        affected: the number of its messages.
        services, error_codes: of its failures, sorted.
        merged_into: the incident into which it was merged; it is closed, and has no failures of its own.
        is_merged_by_person: whether the rule must keep them merged.
        key_service, key_sender, key_text: with the external system, what all its failures have in common.
    """

    incident_id = models.BigAutoField(primary_key=True)
    title = models.CharField(max_length=MAX_TITLE)
    state = models.CharField(max_length=10, default=IncidentState.OPEN)
    opened_at = models.DateTimeField(db_default=Now())
    began_at = models.DateTimeField()
    last_failure_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    is_held_open = models.BooleanField(default=False)
    external_system = models.CharField(max_length=MAX_SYSTEM, blank=True, default="")
    services = ArrayField(models.CharField(max_length=100), default=list)
    error_codes = ArrayField(models.CharField(max_length=30), default=list)
    failures = models.BigIntegerField(default=0)
    affected = models.BigIntegerField(default=0)
    owner = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    merged_into = models.BigIntegerField(null=True)
    is_merged_by_person = models.BooleanField(default=False)
    key_service = models.CharField(max_length=100, blank=True, default="")
    key_sender = models.CharField(max_length=100, blank=True, default="")
    key_text = models.CharField(max_length=CHARACTERS, blank=True, default="")

    class Meta:
        db_table = "incident"
        default_permissions = ("change",)
        permissions = [("handle_incident", "Can acknowledge, assign and note incidents")]
        indexes = [
            # The list, newest first, by state; the rule reads the open ones.
            models.Index(fields=["state", "incident_id"], name="incident_state_idx"),
            # The rule: incidents that ended within a day.
            models.Index(
                fields=["closed_at"], name="incident_closed_idx", condition=Q(closed_at__isnull=False)
            ),
            # List: owner=.
            models.Index(fields=["owner", "incident_id"], name="incident_owner_idx", condition=~Q(owner="")),
            # List: external_system=.
            models.Index(
                fields=["external_system", "incident_id"],
                name="incident_system_idx",
                condition=~Q(external_system=""),
            ),
            # The incidents that were merged into one.
            models.Index(
                fields=["merged_into"], name="incident_merged_idx", condition=Q(merged_into__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.incident_id} {self.title}"

    @property
    def is_open(self) -> bool:
        return self.state == IncidentState.OPEN


class FailureCell(PlainModel):
    """
    Failures of a store that nothing distinguishes except their time.

    Attributes:
        store: the name of the source of the failures, such as "messages".
        source_system: the sender; may be empty.
        external_system: the system that was called, as a text or a call names it; may be empty.
        cause: in words (shared/error_titles.py).
        group_id: the failure group, for messages.
    """

    cell_id = models.BigAutoField(primary_key=True)
    # A hash of everything that distinguishes the cell from others.
    fingerprint = models.CharField(max_length=32, unique=True)
    store = models.CharField(max_length=30)
    service_name = models.CharField(max_length=100)
    operation_name = models.CharField(max_length=100)
    source_system = models.CharField(max_length=100, blank=True)
    external_system = models.CharField(max_length=MAX_SYSTEM, blank=True)
    error_code = models.CharField(max_length=30, blank=True)
    cause = models.CharField(max_length=CHARACTERS, blank=True)
    group_id = models.BigIntegerField(null=True)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "failure_cell"
        indexes = [
            # Split by groups, and the incidents of a group.
            models.Index(
                fields=["group_id"], name="failure_cell_group_idx", condition=Q(group_id__isnull=False)
            ),
            # List of messages: external_system=.
            models.Index(
                fields=["external_system"], name="failure_cell_system_idx", condition=~Q(external_system="")
            ),
        ]


class FailureCellMinute(PlainModel):
    """The number of failures of a cell in one minute; later in one hour or day."""

    pk = models.CompositePrimaryKey("cell_id", "minute")
    cell_id = models.BigIntegerField()
    minute = models.DateTimeField()
    failures = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "failure_cell_minute"
        # The rule reads one day over all cells.
        indexes = [
            models.Index(fields=["minute", "cell_id"], include=["failures"], name="failure_cell_minute_idx")
        ]


class FailureItem(PlainModel):
    """The newest failure of a row of another store than messages, which have failure_member."""

    pk = models.CompositePrimaryKey("store", "item_key")
    store = models.CharField(max_length=30)
    item_key = models.CharField(max_length=200)
    cell_id = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "failure_item"
        # Rows of an incident, newest first.
        indexes = [models.Index(fields=["cell_id", "at"], name="failure_item_cell_idx")]


class IncidentCell(PlainModel):
    """
    Failures of a cell that belong to an incident: those of its minutes from `first` to `last`, both included.

    The ranges of one cell do not overlap, so a failure belongs to one incident at most.

    Attributes:
        reason, strength: incidents/gathering/records.py.
        pinned_by: the person who decided it; empty: the rule.
        origin_id: the incident with this range before people merged it; the rule compares with it.
    """

    range_id = models.BigAutoField(primary_key=True)
    incident_id = models.BigIntegerField()
    cell_id = models.BigIntegerField()
    first = models.DateTimeField()
    last = models.DateTimeField()
    reason = models.CharField(max_length=20)
    strength = models.CharField(max_length=10)
    pinned_by = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    origin_id = models.BigIntegerField()

    class Meta(PlainModel.Meta):
        db_table = "incident_cell"
        indexes = [
            # The incident of a failure.
            models.Index(fields=["cell_id", "first"], name="incident_cell_cell_idx"),
            # The cells of an incident.
            models.Index(fields=["incident_id", "cell_id"], name="incident_cell_incident_idx"),
        ]


class IncidentMessage(PlainModel):
    """A message that a person put into an incident, whatever its cell."""

    msg_id = models.BigIntegerField(primary_key=True)
    incident_id = models.BigIntegerField()
    decided_by = models.CharField(max_length=MAX_OWNER)
    decided_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "incident_message"
        indexes = [models.Index(fields=["incident_id", "msg_id"], name="incident_message_incident_idx")]


class IncidentDecision(PlainModel):
    """A decision of a person about a cell or two incidents, which wins over the rule."""

    decision_id = models.BigAutoField(primary_key=True)
    decision = models.CharField(max_length=10)
    incident_id = models.BigIntegerField()
    cell_id = models.BigIntegerField(null=True)
    other_id = models.BigIntegerField(null=True)
    decided_by = models.CharField(max_length=MAX_OWNER)
    decided_at = models.DateTimeField(db_default=Now())
    reason = models.CharField(max_length=1000, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "incident_decision"
        constraints = [
            # A later decision about a cell or a pair replaces the earlier one.
            models.UniqueConstraint(
                fields=["incident_id", "cell_id"], name="uq_decision_cell", condition=Q(cell_id__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["incident_id", "other_id"],
                name="uq_decision_pair",
                condition=Q(other_id__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["cell_id"], name="incident_decision_cell_idx")]


class IncidentPass(PlainModel):
    """
    The progress of the rule: one row.

    Attributes:
        counted: the number of times that failures were counted.
        gathered: the value of `counted` that the rule has read; less: failures wait to be gathered.
        started_at: no failures were counted before.
        history_before: of the messages from before the console was installed, those with lower ids are still
            to be read; None: all.
        history_read_at: when the last one was read; None: not yet.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    counted = models.BigIntegerField(default=0)
    gathered = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(db_default=Now())
    gathered_at = models.DateTimeField(null=True)
    history_before = models.BigIntegerField(null=True)
    history_read_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "incident_pass"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="incident_pass_is_one")]
