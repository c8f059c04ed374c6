"""
The CP queue, and the console's own tables about it.

`oscpmqueue` has the vendor's columns and no others. Each index is next to the query that it serves.

Source: docs/contributing/spec/cp_queue.md, "Table"; docs/contributing/spec/design.md, R-11.
"""

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel
from messages_app.cp_queue.states import MAX_GUID, MAX_NAME, MAX_REASON

# Compared byte for byte: "A" and "a" are two services (docs/contributing/spec/cp_queue.md, "Decisions", "Hard
# cases" case 20).
_BYTES = "C"


class BytesField(models.CharField):
    """
    A text that is compared byte by byte.

    Django gives a key of this kind a second index for prefixes, by the first word of its type. With byte
    comparison the first index serves prefixes too, and each message would have to write the second one as
    well.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        kind = super().db_type(connection)
        return kind and kind.replace("varchar", "character varying", 1)


def _guid_field(*, primary_key: bool = False, null: bool = False) -> BytesField:
    return BytesField(max_length=MAX_GUID, db_collation=_BYTES, primary_key=primary_key, null=null)


def _name_field(*, primary_key: bool = False, null: bool = False) -> BytesField:
    return BytesField(max_length=MAX_NAME, db_collation=_BYTES, primary_key=primary_key, null=null)


class CpMessageColumns(models.Model):
    """The vendor's columns."""

    # 32 hexadecimal digits, in capitals.
    messageguid = _guid_field(primary_key=True)
    queuename = _name_field()
    osid = models.IntegerField()
    # Main type times 65 536, and the sub type.
    ostype = models.IntegerField()
    created = models.DateTimeField()
    # The service that holds it; NULL: free.
    lock_service = _name_field(null=True)
    # Written with lock_service, again for each pickup.
    checkguid = _guid_field(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.queuename} {self.messageguid}"


class CpMessage(CpMessageColumns):
    """
    A message: work for any service that pulls from its queue. A SELECT also returns deferred messages.

    No index can leave out messages that are not due yet, and every pickup would read past them. So they are
    in a child table, `cp_deferred`, which `ONLY oscpmqueue` leaves out
    (docs/contributing/decisions/0006-deferred-cp-messages.md).
    """

    class Meta:
        db_table = "oscpmqueue"
        verbose_name_plural = "CP messages"
        default_permissions = ("view",)
        permissions = [
            ("pull_cp_messages", "Can create, pull and dispatch CP messages"),
            (
                "steer_cp_messages",
                "Can reset, send on, delete CP messages, dispatch for a dead service",
            ),
        ]
        indexes = [
            # Get next: the newest free one of a queue. Waiting age: the oldest.
            models.Index(
                "queuename",
                "created",
                "messageguid",
                name="oscpmqueue_free_idx",
                condition=models.Q(lock_service=None),
            ),
            # Collapsing: those of one object and queue. The queues that there are; an object over all of
            # them.
            models.Index("queuename", "osid", name="oscpmqueue_object_idx"),
            # Reset of a service; what services hold.
            models.Index(
                "lock_service",
                "queuename",
                "created",
                "messageguid",
                name="oscpmqueue_lock_idx",
                condition=models.Q(lock_service__isnull=False),
            ),
        ]


class CpDeferred(CpMessageColumns):
    """A free message that waits after a retry: a child table of `oscpmqueue`, made by the migration."""

    # NULL: parked after the last attempt, until someone sends it on or a newer message replaces it.
    not_before = models.DateTimeField(null=True)

    class Meta:
        db_table = "cp_deferred"
        managed = False
        default_permissions = ()
        # Due ones of a queue: (queuename, not_before). Lists, collapsing, names: as those of the parent.


class CpReady(CpMessageColumns):
    """Messages that are not deferred: a view of `ONLY oscpmqueue`, for lists."""

    class Meta:
        db_table = "cp_ready"
        managed = False
        default_permissions = ()


class CpRetry(PlainModel):
    """Number of dispatches with RETRY; kept while the message is in the queue."""

    messageguid = _guid_field(primary_key=True)
    attempts = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "cp_retry"


class CpReservation(PlainModel):
    """
    A pickup that is in progress, with its start, which the vendor's table does not have.

    It reports a reservation only if it has the same checkguid: others may write `oscpmqueue` too.
    """

    messageguid = _guid_field(primary_key=True)
    checkguid = _guid_field()
    service = _name_field()
    reserved_at = models.DateTimeField(db_default=Now())
    # Its dispatch must bring the token.
    is_fenced = models.BooleanField()
    # Messages that were collapsed into it.
    collapsed = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "cp_reservation"
        indexes = [
            # The longest reservation of a service.
            models.Index("service", "reserved_at", name="cp_reservation_service_idx")
        ]


class CpService(PlainModel):
    """A service that has polled, with the time of its last poll to a second."""

    service = _name_field(primary_key=True)
    first_poll = models.DateTimeField(db_default=Now())
    last_poll = models.DateTimeField(db_default=Now())
    # Of its last poll, separated by commas.
    queues = models.TextField()

    class Meta(PlainModel.Meta):
        db_table = "cp_service"


class CpLostPickup(PlainModel):
    """Pickups that a service lost to another within an hour: the queue was not empty."""

    pk = models.CompositePrimaryKey("queuename", "hour", "service")
    queuename = _name_field()
    hour = models.DateTimeField()
    service = _name_field()
    lost = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "cp_lost_pickup"


class CpPause(PlainModel):
    """
    A queue that is paused; messages that services hold stay reserved (docs/contributing/spec/promises.md,
    I-53).
    """

    queuename = _name_field(primary_key=True)
    paused_at = models.DateTimeField(db_default=Now())
    actor = models.CharField(max_length=150)
    reason = models.CharField(max_length=1000, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "cp_pause"


class CpDispatch(PlainModel):
    """One dispatch: the outcome of a message, which is no longer in the queue."""

    dispatch_id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(db_default=Now())
    messageguid = _guid_field()
    queuename = _name_field()
    osid = models.IntegerField()
    ostype = models.IntegerField()
    created = models.DateTimeField()
    service = _name_field()
    reason = models.CharField(max_length=MAX_REASON)
    outcome = models.CharField(max_length=10)
    # NULL: it was reserved outside the console, at an unknown time.
    reserved_at = models.DateTimeField(null=True)
    collapsed = models.IntegerField()
    attempts = models.IntegerField()
    # The operator who dispatched for a dead service; empty: the service itself.
    actor = models.CharField(max_length=150, blank=True)

    class Meta(PlainModel.Meta):
        db_table = "cp_dispatch"
        indexes = [
            # The log of a queue, newest first; its throughput.
            models.Index("queuename", "dispatch_id", name="cp_dispatch_queue_idx"),
            # The outcome of one message that is gone.
            models.Index("messageguid", name="cp_dispatch_guid_idx"),
            # The results of an object's messages.
            models.Index("osid", "dispatch_id", name="cp_dispatch_object_idx"),
            # Dispatches of a service.
            models.Index("service", "dispatch_id", name="cp_dispatch_service_idx"),
        ]


class CpFence(PlainModel):
    """
    A range of times in which no message of a queue is free, so that pickups need not read it.

    A snapshot that is held for long keeps every processed message in the index. The newest row of a queue
    counts; migrations/sql/cp_pickup.sql writes it.
    """

    fence_id = models.BigAutoField(primary_key=True)
    queuename = _name_field()
    # NULL: no older message is free.
    low = models.DateTimeField(null=True)
    # NULL: there is no such range.
    high = models.DateTimeField(null=True)
    # When the whole range was last read, and how long that took.
    checked_at = models.DateTimeField()
    seconds = models.FloatField()

    class Meta(PlainModel.Meta):
        db_table = "cp_fence"
        indexes = [
            # The newest of a queue.
            models.Index("queuename", "fence_id", name="cp_fence_queue_idx")
        ]
