"""
Counts of live messages, and the changes that are not counted yet. Only triggers and the pass write them.

Source: docs/contributing/decisions/0008-rollups.md.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.shared.message_states import MessageState


class _Counted(models.Model):
    """
    Counts of messages by state, service, operation, source system and error code; empty means no error code.

    `present` counts messages that match the row and last changed in that minute; `entered` counts how often a
    message entered the state in that minute, even if it has left the state again.
    """

    minute = models.DateTimeField()
    state = models.CharField(max_length=15)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    source_system = models.CharField(max_length=15)
    present = models.IntegerField()
    entered = models.IntegerField()

    class Meta:
        abstract = True


class MessageChange(_Counted):
    """
    The changes of one statement: committed with the messages, and deleted by the next pass.

    A row of several messages has their counts; `took` has one entry for each that succeeded or failed:
    MessageTook.step. A row of one message has its values before, if it was there, and its times as they are:
    `minute` and `old_minute` are when it last changed, and at `at` it entered its state. Such a row counts
    one message in its state and one less in its old state: parts_of_change() in SQL.
    """

    # No two rows need to differ, and the table has no key. Django wants one.
    pk = models.CompositePrimaryKey("minute", "state", "service_name")
    failed_error_code = models.CharField(max_length=5, null=True)
    took = ArrayField(models.SmallIntegerField(), null=True)
    received_at = models.DateTimeField(null=True)
    at = models.DateTimeField(null=True)
    old_minute = models.DateTimeField(null=True)
    old_state = models.CharField(max_length=15, null=True)
    old_service_name = models.CharField(max_length=30, null=True)
    old_operation_name = models.CharField(max_length=100, null=True)
    old_source_system = models.CharField(max_length=15, null=True)
    old_failed_error_code = models.CharField(max_length=5, null=True)

    class Meta:
        db_table = "message_change"
        default_permissions = ()

    def __str__(self) -> str:
        return f"change of {self.state} at {self.minute:%Y-%m-%d %H:%M}"


class MessageRollup(_Counted):
    """The counts. Rows older than 25 hours are of an hour, and older than 8 days of a day."""

    # The pass adds to it; windows of pages, newest first.
    pk = models.CompositePrimaryKey(
        "minute", "state", "service_name", "operation_name", "source_system", "failed_error_code"
    )
    failed_error_code = models.CharField(max_length=5)

    class Meta:
        db_table = "message_rollup"
        default_permissions = ()
        indexes = [
            # Current number per state and the oldest change, except for OK, which is most of the table.
            models.Index(
                fields=["state", "minute"],
                include=["present"],
                name="message_rollup_present_idx",
                condition=~Q(state=MessageState.OK) & ~Q(present=0),
            ),
            # The page of one service.
            models.Index(fields=["service_name", "minute"], name="message_rollup_service_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.state} at {self.minute:%Y-%m-%d %H:%M}: {self.present}"


class MessageTotal(PlainModel):
    """
    The live messages by the facets of the list: the sum of `present` of the counts, which the pass adds to.

    It has one row for each kind of message, so the list reads it whole.
    """

    pk = models.CompositePrimaryKey(
        "state", "service_name", "operation_name", "source_system", "failed_error_code"
    )
    state = models.CharField(max_length=15)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    source_system = models.CharField(max_length=15)
    failed_error_code = models.CharField(max_length=5)
    present = models.BigIntegerField()

    class Meta(PlainModel.Meta):
        db_table = "message_total"


class MessageTook(PlainModel):
    """
    Ended messages of a service, succeeded or failed, by time since receipt, in five minutes or an hour.

    The steps are those of shared/took_steps.py. Rows older than 25 hours are of an hour, and rows
    older than 8 days of a day. They are deleted after 40 days.
    """

    # The pass adds to it; windows of pages.
    pk = models.CompositePrimaryKey("minute", "service_name", "step")
    minute = models.DateTimeField()
    service_name = models.CharField(max_length=30)
    step = models.SmallIntegerField()
    messages = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "message_took"
        # The page of one service.
        indexes = [models.Index(fields=["service_name", "minute"], name="message_took_service_idx")]


class MessageGauge(PlainModel):
    """
    The messages in each state except OK, recorded once a minute and deleted after 8 days. The overview
    compares with them.

    A row with an empty state shows that the minute was recorded. `long` counts the messages without a change
    for a long time; `since` is the last change of the oldest message.
    """

    pk = models.CompositePrimaryKey("minute", "state")
    minute = models.DateTimeField()
    state = models.CharField(max_length=15, blank=True)
    messages = models.IntegerField()
    long = models.IntegerField()
    since = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "message_gauge"


class RollupPass(PlainModel):
    """The last run of a pass, with its number of rows."""

    name = models.CharField(max_length=20, primary_key=True)
    done_at = models.DateTimeField(db_default=Now())
    rows = models.BigIntegerField(db_default=0)

    class Meta(PlainModel.Meta):
        db_table = "rollup_pass"


class PolledMessage(PlainModel):
    """
    A live message as the last poll found it. Only on a hub that is polled, where `present` counts these rows.

    Columns and names are those of `message`, from which changes are derived.
    """

    msg_id = models.BigIntegerField(primary_key=True)
    receive_timestamp = models.DateTimeField()
    last_process_timestamp = models.DateTimeField(null=True)
    state = models.CharField(max_length=15)
    service_name = models.CharField(max_length=30)
    operation_name = models.CharField(max_length=100)
    source_system = models.CharField(max_length=15)
    failed_error_code = models.CharField(max_length=5, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "polled_message"
        indexes = [
            # Polling: messages that can still change, by id.
            models.Index(
                fields=["msg_id"],
                name="polled_message_open_idx",
                condition=~Q(state=MessageState.CANCEL) & ~Q(state=MessageState.OK),
            )
        ]


class Polling(PlainModel):
    """
    The position of the polls of the hub's messages: one row, or none if the hub is not polled.

    Attributes:
        front: the highest id that was read.
        safe: no transaction that can still commit has a message up to this id.
        mark: the next `safe`, as soon as all transactions before `mark_xid` have ended.
        changed_at, changed_id: the last change that was read by time; changed_safe, changed_mark: as for ids.
        watched: the last open message that was compared; 0: the next is the first.
        swept: the last message of the current pass over all messages; 0: the next one begins.
        swept_at: the end of the last pass.
        polled_at: the end of the last poll.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    front = models.BigIntegerField()
    safe = models.BigIntegerField()
    mark = models.BigIntegerField()
    mark_xid = models.BigIntegerField()
    changed_at = models.DateTimeField()
    changed_id = models.BigIntegerField(default=0)
    changed_safe = models.DateTimeField()
    changed_mark = models.DateTimeField()
    watched = models.BigIntegerField(default=0)
    swept = models.BigIntegerField(default=0)
    swept_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(db_default=Now())
    polled_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "polling"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="polling_is_one")]
