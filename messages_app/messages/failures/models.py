"""
Failures, the groups that they belong to with their states, and the catalogue of error codes.

Source: docs/contributing/decisions/0009-failure-groups.md.
"""

from enum import StrEnum

from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.core.transaction_locks import TransactionLock
from messages_app.shared.error_excerpts import split_hub_code
from messages_app.shared.error_titles import title_of_cause
from messages_app.shared.failure_texts import CHARACTERS

# The name of messages among the sources of failures.
STORE = "messages"
# The kind of groups in the audit log.
SUBJECT_KIND = "failure_group"

MAX_OWNER, MAX_TICKET, MAX_NOTE = 150, 200, 20_000


class GroupState(StrEnum):
    NEW = "new"
    KNOWN = "known"
    SNOOZED = "snoozed"
    FIXED = "fixed"
    REGRESSED = "regressed"


# Users can set these states. A group becomes new or regressed automatically.
SETTABLE_STATES = frozenset({GroupState.KNOWN, GroupState.SNOOZED, GroupState.FIXED})

# Someone has to review the group.
PRESSING_STATES = frozenset({GroupState.NEW, GroupState.REGRESSED})

GROUPING = TransactionLock("hubconsole failure_group")


class NewFailure(PlainModel):
    """
    A message that failed permanently, with its error at that time.

    A trigger writes these rows, and the task that groups failures removes them.
    """

    failure_id = models.BigAutoField(primary_key=True)
    msg_id = models.BigIntegerField()
    at = models.DateTimeField()
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    failed_error_code = models.CharField(max_length=5)
    # The parts of its error that are read: shorten_error() of shared/error_excerpts.py.
    text = models.TextField()

    class Meta(PlainModel.Meta):
        db_table = "new_failure"


class FailureGroup(models.Model):
    """Failures with the same cause, with its state and notes. Groups are never removed."""

    group_id = models.BigAutoField(primary_key=True)
    # A hash of everything that distinguishes the group from others: shared/failure_texts.py.
    fingerprint = models.CharField(max_length=32, unique=True)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    failed_error_code = models.CharField(max_length=5, blank=True)
    summary = models.CharField(max_length=CHARACTERS)
    # The first line of the newest error, unchanged.
    example = models.CharField(max_length=CHARACTERS)
    failures = models.BigIntegerField(default=0)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    state = models.CharField(max_length=10, default=GroupState.NEW)
    state_at = models.DateTimeField(db_default=Now())
    snoozed_until = models.DateTimeField(null=True)
    owner = models.CharField(max_length=MAX_OWNER, blank=True, default="")
    ticket = models.CharField(max_length=MAX_TICKET, blank=True, default="")
    note = models.TextField(blank=True, default="")

    class Meta:
        db_table = "failure_group"
        default_permissions = ("change",)
        indexes = [
            # First page and handover: groups that no one has reviewed.
            models.Index(
                fields=["state_at"],
                name="failure_group_pressing_idx",
                condition=models.Q(state__in=sorted(PRESSING_STATES)),
            ),
            # Grouping: expired snoozes.
            models.Index(
                fields=["snoozed_until"],
                name="failure_group_snoozed_idx",
                condition=models.Q(state=GroupState.SNOOZED),
            ),
            # List of groups, newest failure first.
            models.Index(fields=["last_seen", "group_id"], name="failure_group_last_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.failed_error_code} {self.title}".strip()

    @property
    def title(self) -> str:
        """The cause in words; empty without an error text."""
        return title_of_cause(self.summary)

    @property
    def example_without_code(self) -> str:
        """The newest error without the hub's code."""
        return split_hub_code(self.example)[1]


class FailureMinute(PlainModel):
    """The number of failures of a group in one minute; later in one hour or day."""

    pk = models.CompositePrimaryKey("group_id", "minute")
    group_id = models.BigIntegerField()
    minute = models.DateTimeField()
    failures = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "failure_minute"
        # Time ranges of the first page, over all groups.
        indexes = [
            models.Index(fields=["minute", "group_id"], include=["failures"], name="failure_minute_idx")
        ]


class FailureMember(PlainModel):
    """
    The group of the newest failure of a message. A job on a group selects its messages by it.

    Its incident is that of its cell at this time (incidents/models.py). Failures from before the console was
    installed have no cell.
    """

    msg_id = models.BigIntegerField(primary_key=True)
    group_id = models.BigIntegerField()
    at = models.DateTimeField()
    cell_id = models.BigIntegerField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "failure_member"
        indexes = [
            # Messages of a group, newest first.
            models.Index(fields=["group_id", "msg_id"], name="failure_member_group_idx"),
            # Messages of an incident, by its cells.
            models.Index(
                fields=["cell_id", "msg_id"],
                include=["at"],
                name="failure_member_cell_idx",
                condition=models.Q(cell_id__isnull=False),
            ),
        ]


class ErrorCode(models.Model):
    """
    An error code of the hub, with its meaning and the recommended action.

    Source: docs/contributing/spec/cleverbus.md, "Error codes".
    """

    code = models.CharField(max_length=5, primary_key=True)
    description = models.CharField(max_length=200)
    action = models.TextField("recommended action", blank=True)
    # The hub's own codes can be changed but not deleted.
    is_own = models.BooleanField("the hub's own", default=False, editable=False)

    class Meta:
        db_table = "error_code"
        default_permissions = ("add", "change", "delete", "view")
        verbose_name = "error code"
        ordering = ["code"]

    def __str__(self) -> str:
        return f"{self.code} {self.description}"
