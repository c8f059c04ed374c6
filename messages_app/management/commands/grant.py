"""`manage.py grant ROLE`: grants the rights of the database role of the console."""

from argparse import ArgumentParser

from django.core.management.base import CommandError
from django.db import ProgrammingError

from messages_app.audit.grants import UnfitRole, grant
from messages_app.audit.privileges import Part
from messages_app.management.base import ReportingCommand
from messages_app.messages.attachment import Feature, NotAttachedForThis, refuse_if_attached

_ALL = "all"


class Command(ReportingCommand):
    help = (
        "Grant a database role the privileges of the console, or of one part of it. The role can add entries"
        " to the audit log but never change them. Privileges of other parts are revoked. Run as the owner"
        " of the tables after each migrate; DATABASE_URL of the services names the role."
        " Exit status: 0 done, 1 the role is not suitable, 2 bad arguments."
    )

    examples = (
        "migrate",
        "grant hubconsole_app",
        "grant hubconsole_web --as web",
        "grant hubconsole_spark --as spark",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role", help="a role that is not the owner of the tables and not a superuser")
        parser.add_argument(
            "--as",
            dest="part",
            choices=[*(part.value for part in Part), _ALL],
            default=_ALL,
            help="the part that uses the role: web, worker (all workers and beat), spark (tasks of Spark),"
            " erase (erase_subject); all: one role for everything except erasing",
        )

    def handle(self, *, role: str, part: str, **options: object) -> None:
        try:
            refuse_if_attached(Feature.ROLES)
            grant(role, None if part == _ALL else Part(part))
        except (UnfitRole, NotAttachedForThis) as error:
            raise CommandError(str(error)) from None
        except (ProgrammingError, ValueError) as error:
            # Not the owner, no tables yet, or HUBCONSOLE_ARCHIVED_TABLES has an unknown table.
            raise CommandError(f"Nothing was granted: {str(error).splitlines()[0]}") from None
        what = "the console" if part == _ALL else f"the part {part}"
        self.report(f"{role} may run {what}, and cannot rewrite the audit.", role=role, part=part)
