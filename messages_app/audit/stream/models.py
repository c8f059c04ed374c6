from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel


class AuditStream(PlainModel):
    """The position of the stream of the audit log: one row, from its first start on."""

    stream_id = models.IntegerField(primary_key=True)  # 1
    # The last seal whose entries the receiver has confirmed.
    seal_id = models.BigIntegerField()
    # A worker sends until then; NULL: none does.
    leased_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(db_default=Now())
    # Why the last attempt failed, and since when attempts fail; empty and NULL: it did not.
    error = models.CharField(max_length=300, blank=True)
    failing_since = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "audit_stream"
        constraints = [models.CheckConstraint(condition=models.Q(stream_id=1), name="audit_stream_one_row")]
