"""`manage.py grant ROLE`: grants the rights of the database role of the console."""

from argparse import ArgumentParser
from contextlib import suppress

from django.core.management.base import CommandError
from django.db import ProgrammingError

from messages_app.attach.owner import NotTheOwner, run_by_owner
from messages_app.attach.recognition import Hub, recognize_hub
from messages_app.attach.rights import statements_of_part
from messages_app.attach.status import attached_hub
from messages_app.audit.grants import UnfitRole, grant_privileges
from messages_app.audit.privileges import Part
from messages_app.management.base import ReportingCommand

_ALL = "all"


class Command(ReportingCommand):
    help = (
        "Grant a database role the privileges of the console, or of one part of it. The role can add entries"
        " to the audit log but never change them. Privileges of other parts are revoked. Run as the owner"
        " of the tables after each migrate; DATABASE_URL of the services names the role. On an attached hub,"
        " tasks of Spark also need privileges on its tables: its owner's address grants them, or they are"
        " printed."
        " Exit status: 0 done, 1 the role is not suitable, or the owner must still grant, 2 bad arguments."
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
        only_part = None if part == _ALL else Part(part)
        try:
            grant_privileges(role, only_part)
        except UnfitRole as error:
            raise CommandError(str(error)) from None
        except (ProgrammingError, ValueError) as error:
            # Not the owner, no tables yet, or HUBCONSOLE_ARCHIVED_TABLES has an unknown table.
            raise CommandError(f"Nothing was granted: {str(error).splitlines()[0]}") from None
        if left := _grant_on_hub(role, only_part):
            raise CommandError(
                "Granted in the schema hubconsole. The owner of the hub's tables must still run:"
                f" {'; '.join(left)};"
            )
        what = "the console" if part == _ALL else f"the part {part}"
        self.report(f"{role} may run {what}, and cannot rewrite the audit.", role=role, part=part)


def _grant_on_hub(role: str, part: Part | None) -> list[str]:
    """Grant what the role needs on the tables of an attached hub; return the statements that are left."""
    attached = attached_hub()
    hub = attached and recognize_hub(attached.hub_schema, archive_schema=attached.archive_schema)
    if not isinstance(hub, Hub) or not (needed := statements_of_part(hub, role=role, part=part)):
        return []
    with suppress(NotTheOwner):
        run_by_owner(needed)
    # A role that may not grant a right is only warned by the server.
    return statements_of_part(hub, role=role, part=part)
