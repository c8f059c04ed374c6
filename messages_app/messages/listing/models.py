"""Saved views of the message list, and each user's settings of its table."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel

MAX_NAME, MAX_QUERY = 60, 4000


class SavedView(models.Model):
    """A filter that someone named. Relative times in it stay relative."""

    view_id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=MAX_NAME)
    # The query string of the list, as its address has it.
    query = models.CharField(max_length=MAX_QUERY)
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "saved_view"
        # Users with this permission may change the shared views of others (access/roles.py).
        default_permissions = ("change",)
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="uq_saved_view_owner_name")]
        # The tabs of the list: shared views.
        indexes = [models.Index("name", name="saved_view_shared_idx", condition=models.Q(shared=True))]

    def __str__(self) -> str:
        return self.name


class ListPreference(PlainModel):
    """One user's settings of the table of messages; without a row, the defaults apply."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    # Names of COLUMNS in listing/table_settings.py; unknown names are ignored.
    columns = models.JSONField(default=list)

    class Meta(PlainModel.Meta):
        db_table = "list_preference"
