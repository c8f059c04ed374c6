"""The releases that pipelines and people have reported."""

from django.db import models
from django.db.models.functions import Now

MAX_SERVICE, MAX_VERSION, MAX_NOTE, MAX_USER = 100, 100, 1_000, 150


class Deployment(models.Model):
    """
    A version of a service that went into operation.

    Attributes:
        service_name: usually as messages name it; any name is allowed.
        at: when it went into operation.
        noted_by, noted_at: who reported it, and when.
    """

    deployment_id = models.BigAutoField(primary_key=True)
    service_name = models.CharField(max_length=MAX_SERVICE)
    version = models.CharField(max_length=MAX_VERSION)
    at = models.DateTimeField(db_default=Now())
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="", db_default="")
    noted_by = models.CharField(max_length=MAX_USER)
    noted_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "deployment"
        default_permissions = ("add",)
        constraints = [
            # A repeated report is the same deployment.
            models.UniqueConstraint(fields=["service_name", "version", "at"], name="uq_deployment")
        ]
        indexes = [
            # The list, newest first; those before an incident.
            models.Index(fields=["at", "deployment_id"], name="deployment_at_idx"),
            # List: service_name=.
            models.Index(fields=["service_name", "at", "deployment_id"], name="deployment_service_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.service_name} {self.version}"
