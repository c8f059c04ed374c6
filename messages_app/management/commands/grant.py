"""`manage.py grant ROLE`: the rights of the database role that the console runs under."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from messages_app.audit.granting import UnfitRole, grant
from messages_app.management.telling import TellingCommand


class Command(TellingCommand):
    help = (
        "Give a database role what the console needs to run: it may write the audit, and never rewrite it."
        " Run as the owner of the tables after each migrate; DATABASE_URL of the services names the role."
        " Exit status: 0 done, 1 the role is not fit for it."
    )

    examples = ("migrate", "grant hubconsole_app")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role", help="another role than the owner of the tables, and no superuser")

    def handle(self, *, role: str, **options: object) -> None:
        try:
            grant(role)
        except UnfitRole as error:
            raise CommandError(str(error)) from None
        self.tell(f"{role} may run the console, and cannot rewrite the audit.", role=role)
