"""Failures, the groups that they belong to, and the catalogue of error codes."""

from django.db import models
from django.db.models.functions import Now

from messages_app.messages.failures.states import PRESSING_STATES, GroupState
from messages_app.shared.failure_texts import CHARACTERS


class NewFailure(models.Model):
    """
    A message that failed permanently, as it was then. Written by a trigger; the next pass takes it away.
    """

    failure_id = models.BigAutoField(primary_key=True)
    msg_id = models.BigIntegerField()
    at = models.DateTimeField()
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    failed_error_code = models.CharField(max_length=5)
    text = models.CharField(max_length=CHARACTERS)

    class Meta:
        db_table = "new_failure"
        default_permissions = ()

    def __str__(self) -> str:
        return f"failure of message {self.msg_id}"


class FailureGroup(models.Model):
    """Failures of one kind, and what people say of it. Never removed: a note outlives what it is about."""

    group_id = models.BigAutoField(primary_key=True)
    # Of all that shows the group from others: shared/failure_texts.py.
    fingerprint = models.CharField(max_length=32, unique=True)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    failed_error_code = models.CharField(max_length=5, blank=True)
    summary = models.CharField(max_length=CHARACTERS)
    # The first line of the newest error, as it is.
    example = models.CharField(max_length=CHARACTERS)
    failures = models.BigIntegerField(default=0)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    state = models.CharField(max_length=10, default=GroupState.NEW)
    state_at = models.DateTimeField(db_default=Now())
    snoozed_until = models.DateTimeField(null=True)
    owner = models.CharField(max_length=150, blank=True, default="")
    ticket = models.CharField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="")

    class Meta:
        db_table = "failure_group"
        default_permissions = ("change",)
        indexes = [
            # First page and handover: what no one has checked.
            models.Index(
                fields=["state_at"],
                name="failure_group_pressing_idx",
                condition=models.Q(state__in=sorted(PRESSING_STATES)),
            ),
            # The pass: whose time is over.
            models.Index(
                fields=["snoozed_until"],
                name="failure_group_snoozed_idx",
                condition=models.Q(state=GroupState.SNOOZED),
            ),
            # List of groups, the one that failed last first.
            models.Index(fields=["last_seen", "group_id"], name="failure_group_last_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.failed_error_code} {self.summary}".strip()


class FailureMinute(models.Model):
    """How many failures of a group there were in a minute."""

    pk = models.CompositePrimaryKey("group_id", "minute")
    group_id = models.BigIntegerField()
    minute = models.DateTimeField()
    failures = models.IntegerField()

    class Meta:
        db_table = "failure_minute"
        default_permissions = ()
        # Windows of the first page, over all groups.
        indexes = [
            models.Index(fields=["minute", "group_id"], include=["failures"], name="failure_minute_idx")
        ]

    def __str__(self) -> str:
        return f"group {self.group_id} at {self.minute:%Y-%m-%d %H:%M}"


class FailureMember(models.Model):
    """The group of a message's newest failure: what a job on the group is about."""

    msg_id = models.BigIntegerField(primary_key=True)
    group_id = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        db_table = "failure_member"
        default_permissions = ()
        # Messages of a group, the newest first.
        indexes = [models.Index(fields=["group_id", "msg_id"], name="failure_member_group_idx")]

    def __str__(self) -> str:
        return f"message {self.msg_id} in group {self.group_id}"


class ErrorCode(models.Model):
    """
    What is known of an error code, and what to do about it.

    Source: docs/spec/cleverbus.md, "Error codes".
    """

    code = models.CharField(max_length=5, primary_key=True)
    description = models.CharField(max_length=200)
    action = models.TextField("recommended action", blank=True)
    # One of the hub's own: it may be changed, and not deleted.
    is_own = models.BooleanField("the hub's own", default=False, editable=False)

    class Meta:
        db_table = "error_code"
        default_permissions = ("add", "change", "delete", "view")
        verbose_name = "error code"
        ordering = ["code"]

    def __str__(self) -> str:
        return f"{self.code} {self.description}"
