"""Watch rules, their alerts, and the notices of the alerts."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.core.deliveries.attempts import SentRow
from messages_app.core.deliveries.formats import FORMATS, Format
from messages_app.core.plain_model import PlainModel


class WatchRule(models.Model):
    """
    A measurement with a limit. An alert is open while the measured value is above the limit.

    An empty service, operation, source system or error code means any.
    """

    rule_id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=100, unique=True)
    enabled = models.BooleanField(default=True, db_default=True)
    # A Measure, and the conditions that messages must meet to be measured.
    measure = models.CharField(max_length=20)
    state = models.CharField(max_length=15, blank=True)
    service_name = models.CharField(max_length=30, blank=True)
    operation_name = models.CharField(max_length=100, blank=True)
    source_system = models.CharField(max_length=15, blank=True)
    failed_error_code = models.CharField(max_length=5, blank=True)
    saved_view = models.ForeignKey(
        "messages_app.SavedView", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    window_minutes = models.IntegerField(default=15, db_default=15)
    # For `present`: only messages without a change for this long.
    older_than_seconds = models.IntegerField(default=0, db_default=0)
    # For `failure_rate`: the minimum number of ended messages; below it, the rate is 0.
    at_least = models.IntegerField(default=20, db_default=20)
    limit = models.FloatField()
    # The minimum time between two alerts of the rule that send notices.
    quiet_minutes = models.IntegerField(default=30, db_default=30)
    mail_to = models.JSONField(default=list, blank=True)
    webhook_url = models.CharField(max_length=500, blank=True)
    # A Format, and the key that PagerDuty and Opsgenie know the console by; it is never shown.
    webhook_format = models.CharField(max_length=10, default=Format.STANDARD, db_default=str(Format.STANDARD))
    webhook_key = models.CharField(max_length=200, blank=True, default="", db_default="")
    is_built_in = models.BooleanField(default=False, db_default=False, editable=False)
    told_at = models.DateTimeField(null=True, editable=False)
    # The last check: its time, the measured value, and why the measurement failed.
    checked_at = models.DateTimeField(null=True, editable=False)
    value = models.FloatField(null=True, editable=False)
    error = models.CharField(max_length=300, blank=True, editable=False)

    class Meta:
        db_table = "watch_rule"
        default_permissions = ("change",)

    def __str__(self) -> str:
        return self.name

    @property
    def webhook_name(self) -> str:
        return "a webhook" if self.webhook_format == Format.STANDARD else FORMATS[self.webhook_format]

    @property
    def has_channel(self) -> bool:
        """Whether anyone is notified of its alerts."""
        return bool(self.mail_to or self.webhook_url)


class Alert(PlainModel):
    """The time for which a rule was above its limit."""

    alert_id = models.BigAutoField(primary_key=True)
    rule = models.ForeignKey(WatchRule, on_delete=models.CASCADE, related_name="alerts")
    opened_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True)
    value = models.FloatField()
    worst = models.FloatField()
    # Sends no notices, because the rule sent some shortly before.
    is_quiet = models.BooleanField(default=False)

    class Meta(PlainModel.Meta):
        db_table = "alert"
        constraints = [
            # A rule has one open alert, however many processes check it at the same time.
            models.UniqueConstraint(
                fields=["rule"], name="uq_alert_open_once", condition=Q(closed_at__isnull=True)
            )
        ]
        # Handover: the alerts that opened since a time.
        indexes = [models.Index(fields=["opened_at"], name="alert_opened_idx")]

    def __str__(self) -> str:
        return f"alert {self.pk} of {self.rule_id}"


class AlertNotice(SentRow):
    """A notice to one recipient that an alert opened or closed, with the attempts to send it."""

    notice_id = models.BigAutoField(primary_key=True)
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="notices")
    turn = models.CharField(max_length=10)
    channel = models.CharField(max_length=10)
    target = models.CharField(max_length=500)

    class Meta:
        db_table = "alert_notice"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["alert", "turn", "channel", "target"], name="uq_alert_notice_once"
            )
        ]
        # Taking the notices that are due.
        indexes = [
            models.Index(fields=["next_at"], name="alert_notice_due_idx", condition=Q(next_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.turn} of alert {self.alert_id} to {self.target}"
