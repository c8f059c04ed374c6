"""Tables of the monitor: counts of messages, its timeouts, its last scan and its settings."""

from django.db import models

from messages_app.core.plain_model import PlainModel
from messages_app.message_store.models import BYTES, MAX_NAME


class _Counted(PlainModel):
    """Messages with a system, entity and status."""

    # Empty where the message names none.
    source_system = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    source_entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    status = models.IntegerField()

    class Meta(PlainModel.Meta):
        abstract = True


class MessageCount(_Counted):
    """The number of messages with a system, entity and status, except those in work."""

    pk = models.CompositePrimaryKey("source_system", "source_entity", "status")
    messages = models.BigIntegerField()

    class Meta(PlainModel.Meta):
        db_table = "message_count"


class MessageCountChange(_Counted):
    """A change that is not in its count yet, so that workers add rows without waiting for each other."""

    change_id = models.BigAutoField(primary_key=True)
    change = models.BigIntegerField()

    class Meta(PlainModel.Meta):
        db_table = "message_count_change"


class StoreTimeout(PlainModel):
    """How often within an hour the monitor took a message from an attempt (1), or from the queue (3)."""

    pk = models.CompositePrimaryKey("hour", "status")
    hour = models.DateTimeField()
    status = models.IntegerField()
    fired = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "store_timeout"


class StoreScan(PlainModel):
    """When the monitor last scanned; one row. The scheduler writes its own times down minutes late."""

    is_only = models.BooleanField(primary_key=True, default=True)
    done_at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "store_scan"
        constraints = [models.CheckConstraint(condition=models.Q(is_only=True), name="store_scan_is_one")]


class StoreSetting(PlainModel):
    """A setting of the monitor that overrides the environment's; settings.py has the names."""

    name = models.CharField(max_length=100, primary_key=True, db_collation=BYTES)
    value = models.FloatField()

    class Meta(PlainModel.Meta):
        db_table = "store_setting"
