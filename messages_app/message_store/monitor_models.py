"""Tables of the monitor: counts of messages, its timeouts, its last scan and its settings."""

from django.db import models

from messages_app.message_store.models import BYTES, MAX_NAME


class MessageCount(models.Model):
    """The number of messages with a system, entity and status, except those in work."""

    pk = models.CompositePrimaryKey("source_system", "source_entity", "status")
    # Empty where the message names none.
    source_system = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    source_entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    status = models.IntegerField()
    messages = models.BigIntegerField()

    class Meta:
        db_table = "message_count"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.source_system} {self.source_entity} {self.status}: {self.messages}"


class MessageCountChange(models.Model):
    """A change that is not in its count yet, so that workers add rows without waiting for each other."""

    change_id = models.BigAutoField(primary_key=True)
    source_system = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    source_entity = models.CharField(max_length=MAX_NAME, db_collation=BYTES)
    status = models.IntegerField()
    change = models.BigIntegerField()

    class Meta:
        db_table = "message_count_change"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.change:+d}"


class StoreTimeout(models.Model):
    """How often within an hour the monitor took a message from an attempt (1), or from the queue (3)."""

    pk = models.CompositePrimaryKey("hour", "status")
    hour = models.DateTimeField()
    status = models.IntegerField()
    fired = models.IntegerField()

    class Meta:
        db_table = "store_timeout"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.hour} {self.status}: {self.fired}"


class StoreScan(models.Model):
    """When the monitor last scanned; one row. The scheduler writes its own times down minutes late."""

    is_only = models.BooleanField(primary_key=True, default=True)
    done_at = models.DateTimeField()

    class Meta:
        db_table = "store_scan"
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(is_only=True), name="store_scan_is_one")]

    def __str__(self) -> str:
        return f"scan at {self.done_at:%Y-%m-%d %H:%M:%S}"


class StoreSetting(models.Model):
    """A setting of the monitor that overrides the environment's; settings.py has the names."""

    name = models.CharField(max_length=100, primary_key=True, db_collation=BYTES)
    value = models.FloatField()

    class Meta:
        db_table = "store_setting"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.name} {self.value:g}"
