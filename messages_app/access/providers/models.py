from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from messages_app.access.providers.identities import MAX_GROUP, MAX_SUBJECT
from messages_app.core.plain_model import PlainModel

MAX_ISSUER = 255


class ProviderAccount(PlainModel):
    """A user who logs in through a provider, known by issuer and subject only."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="provider_account"
    )
    issuer = models.CharField(max_length=MAX_ISSUER)
    subject = models.CharField(max_length=MAX_SUBJECT)
    # As of the last log-in, for administrators who map groups to roles.
    groups = ArrayField(models.CharField(max_length=MAX_GROUP), default=list)
    last_log_in_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "provider_account"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="uq_provider_account")]


class GroupMapping(PlainModel):
    """A role that the members of a provider's group have, from their next log-in on."""

    mapping_id = models.BigAutoField(primary_key=True)
    issuer = models.CharField(max_length=MAX_ISSUER)
    group_name = models.CharField(max_length=MAX_GROUP)
    role = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "group_mapping"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "group_name", "role"], name="uq_group_mapping")
        ]
