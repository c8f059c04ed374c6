from collections.abc import Mapping
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from messages_app.access.scopes import MAX_SCOPE


class ApiToken(models.Model):
    """A key to the API. Only its SHA-256 is kept; the key itself is shown once, when it is made."""

    token_id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    key_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    # More than this many a minute are refused; null: the usual limit of the settings.
    requests_per_minute = models.PositiveIntegerField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # Of scopes.py, some with the name that confines them; null: all that its user may.
    scopes = ArrayField(models.CharField(max_length=MAX_SCOPE), null=True)

    class Meta:
        db_table = "api_token"

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class ScopedUser(User):
    """
    The user of a token: may what the user may, and where the token has scopes, as far as they give it too.

    Anyone who asks for a right asks its `has_perm`, as of any user; for a right that is confined to names,
    with one of them as the object, or it is not there. `withheld` is the right that was asked for last, where
    only a scope is missing for it, and `withheld_name` the name that it was asked for with; else it is empty.
    `missing` is the right that was asked for last, where the user does not have it at all; else it is empty.

    Attributes:
        rights: those without bounds.
        confined: the names for which it has a right; one that is in `rights` too has none.
        has_scopes: whether the token has any; without scopes it gives all that its user may.
    """

    rights: frozenset[str] = frozenset()
    confined: Mapping[str, frozenset[str]] = {}
    has_scopes = True
    withheld = ""
    withheld_name: str | None = None
    missing = ""

    class Meta:
        proxy = True
        default_permissions = ()

    @classmethod
    def of(
        cls,
        user: User,
        *,
        rights: frozenset[str] | None,
        confined: Mapping[str, frozenset[str]] | None = None,
    ) -> Self:
        """Return `user` with no more than `rights`, and those confined to names; None: with all they have."""
        names = [field.attname for field in cls._meta.concrete_fields]
        found = cls.from_db(user._state.db, names, [getattr(user, name) for name in names])
        found.has_scopes = rights is not None
        found.rights, found.confined = rights or frozenset(), confined or {}
        return found

    def has_perm(self, perm: str, obj: object = None) -> bool:
        is_the_users = super().has_perm(perm)
        is_given = not self.has_scopes or perm in self.rights or obj in self.confined.get(perm, ())
        self.missing = "" if is_the_users else perm
        is_withheld = is_the_users and not is_given
        self.withheld = perm if is_withheld else ""
        self.withheld_name = obj if is_withheld and isinstance(obj, str) else None
        return is_the_users and is_given

    def reach_of(self, right: str) -> frozenset[str] | None:
        """Return the names to which a right is confined; None: it has no such bounds, or is not there."""
        if not self.has_scopes or right in self.rights or not super().has_perm(right):
            return None
        return self.confined.get(right)


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


class RequestWindow(models.Model):
    """How many requests a caller of the API has made in its minute. Lost with a crash, and no matter."""

    caller = models.CharField(max_length=80, primary_key=True)
    began_at = models.DateTimeField()
    used = models.IntegerField()

    class Meta:
        db_table = "request_window"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.caller}: {self.used}"


class LoginFailure(models.Model):
    """How often logging in has failed of late: at an account, on a device, or from an address."""

    subject = models.CharField(max_length=80, primary_key=True)
    failures = models.IntegerField()
    last_at = models.DateTimeField()
    blocked_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "login_failure"
        default_permissions = ()
        # The ones that count no longer.
        indexes = [models.Index("last_at", name="login_failure_age_idx")]

    def __str__(self) -> str:
        return f"{self.subject}: {self.failures}"


MAX_BROWSER = 300


class UserSession(models.Model):
    """
    A session of the pages. Only the SHA-256 of its key is kept: who reads the table can take over none.

    Written by store.py alone; removed when it is ended.
    """

    session_id = models.BigAutoField(primary_key=True)
    key_sha256 = models.CharField(max_length=64, unique=True)
    # Signed, as Django's sessions are.
    data = models.TextField()
    # Null until someone logs in.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="sessions"
    )
    # Which password of the user's it was begun with: with another it is dead.
    password_digest = models.CharField(max_length=128)
    began_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(db_default=Now())
    # When it ends if no one uses it before.
    ends_at = models.DateTimeField()
    # Until when it shows values to who may read them (access/revealing); null: they are masked.
    revealed_until = models.DateTimeField(null=True)
    # Of its last use.
    address = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=MAX_BROWSER)

    class Meta:
        db_table = "user_session"
        default_permissions = ()
        # Sweeper: sessions that have ended.
        indexes = [models.Index("ends_at", name="user_session_end_idx")]

    def __str__(self) -> str:
        return f"Session {self.session_id} of {self.user}"
