from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class ApiToken(models.Model):
    """A key to the API. Only its SHA-256 is kept; the key itself is shown once, when it is made."""

    token_id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    key_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "api_token"

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class IdempotencyKey(models.Model):
    """
    The answer to a POST that named an Idempotency-Key, one row per (user, key).

    Committed with the change that the POST made, so a repeated POST finds both or neither.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    key = models.CharField(max_length=255)
    # SHA-256 of method, path and body: the same key with another request is refused.
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "idempotency_key"
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="uq_idempotency_user_key")]
        # Sweeper: keys past their day.
        indexes = [models.Index("created_at", name="idempotency_age_idx")]

    def __str__(self) -> str:
        return f"{self.user} {self.key}"
