"""The base of tables without permissions of their own."""

from django.db import models


class PlainModel(models.Model):
    """A table whose rows are named by their keys."""

    class Meta:
        abstract = True
        default_permissions = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.pk)) if isinstance(self.pk, tuple) else str(self.pk)
