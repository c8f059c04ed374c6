"""Who was here, and when: for "since I was last here", and for the strip that a new reader is led by."""

from django.conf import settings
from django.db import models


class FirstPageVisit(models.Model):
    """
    When one person last looked at the first page or the handover; who has no row never did.

    Args:
        before_at: the end of the stay before this one; None during the first.
        guided_at: when the strip that leads new readers was put away.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    here_at = models.DateTimeField()
    before_at = models.DateTimeField(null=True)
    guided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "first_page_visit"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.user} at {self.here_at:%Y-%m-%d %H:%M}"
