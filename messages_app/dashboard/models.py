"""Who was here, and when: for "since I was last here", and for the strip that a new reader is led by."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

from messages_app.core.statements import Statements

statements = Statements("messages_app.dashboard")


class FirstPageVisit(models.Model):
    """
    When one person last checked the first page or the handover; who has no row never did.

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


# Notes who checks the first page, and says when they were here before.


# Users who were away for longer see what happened.
AWAY = timedelta(minutes=30)


def note_visit(user: User) -> FirstPageVisit:
    """Note that someone is here now, and return what is known of it."""
    statements.count("note_visit", {"user_id": user.pk, "away": AWAY})
    return FirstPageVisit.objects.get(pk=user.pk)


def put_guide_away(user: User) -> None:
    """Show the strip for new readers to this one no more."""
    statements.count("put_guide_away", {"user_id": user.pk})
