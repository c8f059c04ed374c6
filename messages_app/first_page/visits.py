"""Notes who looks at the first page, and says when they were here before."""

from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser

from messages_app.first_page.models import FirstPageVisit
from messages_app.first_page.sql import statement
from messages_app.sending import Sender

_sender = Sender(statement)

# Who was away for longer has to be told what happened.
AWAY = timedelta(minutes=30)


def note_visit(user: AbstractBaseUser) -> FirstPageVisit:
    """Note that somebody is here now, and return what is known of it."""
    _sender.count_of("note_visit", {"user_id": user.pk, "away": AWAY})
    return FirstPageVisit.objects.get(pk=user.pk)


def put_guide_away(user: AbstractBaseUser) -> None:
    """Show the strip for new readers to this one no more."""
    _sender.count_of("put_guide_away", {"user_id": user.pk})
