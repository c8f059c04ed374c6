"""What trigger functions could not note. Written by their error handlers, merged and closed here."""

from django.db import models


class TriggerGap(models.Model):
    """
    Statements whose rows our triggers could not note, by the reason.

    It commits with such a statement: anyone who sees it sees the rows that it is about. A pass adds up those
    of one reason.

    Attributes:
        area: what is incomplete; one of messages_app.gaps.gaps.AREAS.
        sqlstate: PostgreSQL's code of the error; `reason`: its words.
        statements: how many there were, from `first_at` to `last_at`.
    """

    gap_id = models.BigAutoField(primary_key=True)
    area = models.CharField(max_length=20)
    sqlstate = models.CharField(max_length=5)
    reason = models.CharField(max_length=300)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    statements = models.BigIntegerField()

    class Meta:
        db_table = "trigger_gap"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.statements} statements of {self.area}: {self.sqlstate} {self.reason}"
