"""manage.py remove_second_factor USER: for users who have lost the app and the recovery codes."""

from argparse import ArgumentParser

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import transaction

from messages_app.access.actors import actor_of_command
from messages_app.access.second_factor.devices import remove_devices
from messages_app.access.sessions.services import end_other_sessions
from messages_app.management.base import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Remove the second factor of a user who has lost it, and end the user's sessions. Verify who asks for"
        " it. The audit log records it. Exit status: 0 done, 1 there is no such user, or no second factor."
    )
    examples = ("remove_second_factor ada",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user who will log in with only the password next time")

    def handle(self, *, user: str, **options: object) -> None:
        owner = get_user_model().objects.filter(username=user).first()
        if owner is None:
            raise CommandError(f"There is no user {user!r}.")
        with transaction.atomic():
            if not remove_devices(user=owner, actor=actor_of_command()):
                raise CommandError(f"{user!r} has no second factor.")
            ended = end_other_sessions(user=owner, kept_key="", actor=actor_of_command())
        self.report(
            f"{user} now logs in with only the password. Sessions ended: {ended}.", user=user, sessions=ended
        )
