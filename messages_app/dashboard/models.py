"""The visits of users, for "since your last visit" and for the guide of new users."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

from messages_app.core.plain_model import PlainModel
from messages_app.core.statements import Statements

statements = Statements("messages_app.dashboard")


class FirstPageVisit(PlainModel):
    """
    The last visit of a user to the first page or the handover. Users without a row have never visited them.

    Args:
        before_at: the end of the previous visit; None during the first visit.
        guided_at: when the user closed the guide.
        setup_away_at: when the user dismissed the setup checklist (setup.py).
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    here_at = models.DateTimeField()
    before_at = models.DateTimeField(null=True)
    guided_at = models.DateTimeField(null=True)
    setup_away_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "first_page_visit"


# After a longer absence, the first page shows the events since the last visit.
AWAY = timedelta(minutes=30)


def note_visit(user: User) -> FirstPageVisit:
    """Record a visit now, and return the visits of the user."""
    statements.count("note_visit", {"user_id": user.pk, "away": AWAY})
    return FirstPageVisit.objects.get(pk=user.pk)


def put_guide_away(user: User) -> None:
    """Hide the guide from this user."""
    statements.count("put_guide_away", {"user_id": user.pk})
