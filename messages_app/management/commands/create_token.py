"""manage.py create_token USER: prints an API token once. Source: spec/interfaces.md 3."""

from argparse import ArgumentParser, ArgumentTypeError

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from messages_app.access.actors import actor_of_command
from messages_app.access.services import DEFAULT_DAYS, MAX_DAYS, MAX_NAME, create_token


def _days(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MAX_DAYS:
        return int(text)
    raise ArgumentTypeError(f"must be a number from 1 to {MAX_DAYS}")


def _name(text: str) -> str:
    if 1 <= len(text) <= MAX_NAME and text.isprintable():
        return text
    raise ArgumentTypeError(f"must have 1 to {MAX_NAME} printable characters")


class Command(BaseCommand):
    help = "Make an API token for a user and print its key, which is shown only this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the user whose rights the token carries")
        parser.add_argument(
            "--days",
            type=_days,
            default=DEFAULT_DAYS,
            help=f"until it expires, 1 to {MAX_DAYS} (%(default)s)",
        )
        parser.add_argument("--name", type=_name, default="command line", help="what it is for")

    def handle(self, *, user: str, days: int, name: str, **options: object) -> None:
        owner = get_user_model().objects.filter(username=user, is_active=True).first()
        if owner is None:
            raise CommandError(f"There is no active user {user!r}.")
        _, key = create_token(user=owner, name=name, days=days, actor=actor_of_command())
        self.stdout.write(key)
