from collections.abc import Mapping
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from messages_app.access.scopes import MAX_SCOPE
from messages_app.core.plain_model import PlainModel


class ApiToken(models.Model):
    """
    A key to the API. The database has only its SHA-256; the key itself is shown once, when it is created.
    """

    token_id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    key_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    # The token's own limit of requests per minute; null: the limits of the settings.
    requests_per_minute = models.PositiveIntegerField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # Scopes of scopes.py, some limited to a name; null: all permissions of the user.
    scopes = ArrayField(models.CharField(max_length=MAX_SCOPE), null=True)

    class Meta:
        db_table = "api_token"
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class ScopedUser(User):
    """
    The user of a token, limited to the scopes of the token if it has any.

    Code checks permissions by `has_perm`, like for any user. For a permission that the token only has for
    some names, the object is the name. After each check, `withheld`, `withheld_name` and `missing` have the
    reason of a refusal.

    Attributes:
        rights: permissions for all names.
        confined: the names for which the token has a permission that is not in `rights`.
        has_scopes: whether the token has scopes; without scopes it has all permissions of the user.
        withheld: the last checked permission if the user has it but the token lacks the scope; else empty.
        withheld_name: the name that `withheld` was checked for, if any.
        missing: the last checked permission if the user does not have it; else empty.
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
        permissions = [
            ("manage_users", "Can manage users and their roles"),
            ("view_settings", "Can view the settings and the health of all parts"),
        ]

    @classmethod
    def limit_user(
        cls,
        user: User,
        *,
        rights: frozenset[str] | None,
        confined: Mapping[str, frozenset[str]] | None = None,
    ) -> Self:
        """
        Return `user` with only `rights` and the permissions in `confined`.

        Args:
            rights: None: all permissions of the user.
            confined: permissions with the names for which they are granted.
        """
        names = [field.attname for field in cls._meta.concrete_fields]
        scoped = cls.from_db(user._state.db, names, [getattr(user, name) for name in names])
        # The rights that were read with the user, if any (backends.py).
        scoped.__dict__ |= {name: value for name, value in user.__dict__.items() if name == "_perm_cache"}
        scoped.has_scopes = rights is not None
        scoped.rights, scoped.confined = rights or frozenset(), confined or {}
        return scoped

    def has_perm(self, perm: str, obj: object = None) -> bool:
        is_the_users = super().has_perm(perm)
        is_given = not self.has_scopes or perm in self.rights or obj in self.confined.get(perm, ())
        self.missing = "" if is_the_users else perm
        is_withheld = is_the_users and not is_given
        self.withheld = perm if is_withheld else ""
        self.withheld_name = obj if is_withheld and isinstance(obj, str) else None
        return is_the_users and is_given

    def reach_of(self, right: str) -> frozenset[str] | None:
        """
        Return the names for which the token has a permission; None: for all names, or the user lacks it.
        """
        if not self.has_scopes or right in self.rights or not super().has_perm(right):
            return None
        return self.confined.get(right)


class IdempotencyKey(models.Model):
    """
    The answer to a POST with an Idempotency-Key, one row per (user, key).

    It is committed with the change of the POST, so a repeated POST finds both or neither.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    key = models.CharField(max_length=255)
    # SHA-256 of method, path and body. The same key with a different request is refused.
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "idempotency_key"
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="uq_idempotency_user_key")]
        # Sweeper: keys older than a day.
        indexes = [models.Index("created_at", name="idempotency_age_idx")]

    def __str__(self) -> str:
        return f"{self.user} {self.key}"


class RequestWindow(PlainModel):
    """
    The requests of an API caller in the current minute. The table is unlogged, so a crash may empty it.
    """

    caller = models.CharField(max_length=80, primary_key=True)
    began_at = models.DateTimeField()
    used = models.IntegerField()

    class Meta(PlainModel.Meta):
        db_table = "request_window"


class LoginFailure(PlainModel):
    """Recent failed logins, by account, device or address."""

    subject = models.CharField(max_length=80, primary_key=True)
    failures = models.IntegerField()
    last_at = models.DateTimeField()
    blocked_until = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "login_failure"
        # Sweeper: old failures, which no longer count.
        indexes = [models.Index("last_at", name="login_failure_age_idx")]


class PersonSettings(PlainModel):
    """The settings of one user; without a row, the defaults of `Choices` apply. Read with the user."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    # An IANA name; empty: the zone of the hub.
    time_zone = models.CharField(max_length=64)
    density = models.CharField(max_length=11)
    # The address of an entry of the menu.
    start_page = models.CharField(max_length=100)
    # Addresses of pinned objects (places.py), in the order in which they were pinned.
    pins = ArrayField(models.CharField(max_length=400), default=list)

    class Meta(PlainModel.Meta):
        db_table = "person_settings"


MAX_BROWSER = 300


class UserSession(PlainModel):
    """
    A session of the pages. The table has only the SHA-256 of the key, so a reader of the table cannot take
    over a session.

    Only store.py writes it. The row is removed when the session ends.
    """

    session_id = models.BigAutoField(primary_key=True)
    key_sha256 = models.CharField(max_length=64, unique=True)
    # Signed like Django's sessions.
    data = models.TextField()
    # Null until someone logs in.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="sessions"
    )
    # The digest of the user's password at login. A new password ends the session.
    password_digest = models.CharField(max_length=128)
    # The id of the provider's own session, by which the provider can end this one; may be empty.
    provider_session = models.CharField(max_length=255, default="", db_default="")
    began_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(db_default=Now())
    # The end of the session if it is not used again.
    ends_at = models.DateTimeField()
    # The time until which it shows values to users with the permission (unmasking.py); null: values are
    # masked.
    revealed_until = models.DateTimeField(null=True)
    # The address and browser of its last use.
    address = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=MAX_BROWSER)

    class Meta(PlainModel.Meta):
        db_table = "user_session"
        # Sweeper: sessions that have ended.
        indexes = [models.Index("ends_at", name="user_session_end_idx")]

    def __str__(self) -> str:
        return f"Session {self.session_id} of {self.user}"
