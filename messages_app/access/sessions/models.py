from django.conf import settings
from django.db import models
from django.db.models.functions import Now

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
    # Null until somebody logs in.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="sessions"
    )
    # Which password of the user's it was begun with: with another it is dead.
    password_digest = models.CharField(max_length=128)
    began_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(db_default=Now())
    # When it ends if nobody uses it before.
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
