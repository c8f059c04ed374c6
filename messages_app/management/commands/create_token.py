"""
manage.py create_token USER: prints an API token once.

Source: docs/contributing/spec/interfaces.md, "Commands".
"""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from messages_app.access.actors import actor_of_command
from messages_app.access.scopes import SCOPES, split_scope, why_none
from messages_app.access.token_services import DEFAULT_DAYS, MAX_DAYS, MAX_NAME, MAX_PER_MINUTE, create_token
from messages_app.core.store_functions import functions_of_stores
from messages_app.management.base import ReportingCommand


def _number_up_to(most: int) -> Callable[[str], int]:
    def parse_number(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most:
            return int(text)
        raise ArgumentTypeError(f"must be a number from 1 to {most}")

    return parse_number


def _parse_name(text: str) -> str:
    if 1 <= len(text) <= MAX_NAME and text.isprintable():
        return text
    raise ArgumentTypeError(f"must have 1 to {MAX_NAME} printable characters")


_CONFINABLE = [f"{name}:{scope.confined_to.upper()}" for name, scope in SCOPES.items() if scope.confined_to]


def _parse_scope(text: str) -> str:
    if why := why_none(text):
        raise ArgumentTypeError(why)
    plain, name = split_scope(text)
    kind = SCOPES[plain].confined_to
    if name is None or _may_be_name(kind, name):
        return text
    raise ArgumentTypeError(f"{text!r} is not a scope: {name!r} cannot be the name of a {kind}")


def _may_be_name(kind: str, name: str) -> bool:
    """Whether the store that has this kind of names accepts this name."""
    checks = (functions.name_checks for functions in functions_of_stores())
    return next(each[kind](name) for each in checks if kind in each)


class Command(ReportingCommand):
    help = (
        "Make an API token for a user and print its key, which is shown only this once. It has the "
        "permissions of the user at the time of a call, limited by its scopes if it has any."
    )
    examples = (
        "create_token ada --days 30 --name nightly",
        "create_token indexer --days 365 --per-minute 600 --json",
        "create_token ada --scope messages:read --scope payload:read",
        "create_token rendition --scope queue:consume:RENDITION",
        "create_token ada --scope jobs:run --scope archive:run --name archiver",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user whose permissions the token has")
        parser.add_argument(
            "--days",
            type=_number_up_to(MAX_DAYS),
            default=DEFAULT_DAYS,
            help=f"days until it expires, 1 to {MAX_DAYS} (%(default)s)",
        )
        parser.add_argument(
            "--per-minute",
            type=_number_up_to(MAX_PER_MINUTE),
            metavar="N",
            help="requests per minute (default: the limits of the settings)",
        )
        parser.add_argument(
            "--scope",
            dest="scopes",
            action="append",
            type=_parse_scope,
            metavar="SCOPE",
            help=f"a scope of the token; may be repeated: {', '.join(SCOPES)} (default: all permissions of"
            f" the user). These can be limited to a name: {', '.join(_CONFINABLE)}",
        )
        parser.add_argument("--name", type=_parse_name, default="command line", help="purpose of the token")

    def handle(
        self,
        *,
        user: str,
        days: int,
        name: str,
        per_minute: int | None,
        scopes: list[str] | None,
        **options: object,
    ) -> None:
        owner = get_user_model().objects.filter(username=user, is_active=True).first()
        if owner is None:
            raise CommandError(f"There is no active user {user!r}.")
        token, key = create_token(
            user=owner,
            name=name,
            days=days,
            requests_per_minute=per_minute,
            scopes=scopes,
            actor=actor_of_command(),
        )
        details = {"user": user, "name": name, "scopes": token.scopes, "expires_at": token.expires_at}
        self.report(key, token_id=token.pk, key=key, **details)
