"""
`manage.py doctor`: reports faults and their remedies.

Source: docs/contributing/spec/interfaces.md, "Commands".
"""

from django.core.management.base import CommandError

from hubconsole import health
from hubconsole.checks import database, servers
from messages_app.management.base import ReportingCommand

_SECONDS = 15.0


class Command(ReportingCommand):
    help = (
        "Check the database, its tables and indexes, broker, workers, beat, Spark, Java, clock and disk;"
        " suggest how to fix what does not work. Exit status: 0 everything works, 1 something does not."
    )

    examples = ("doctor", "doctor --json    # the report of /health/, and more")

    def handle(self, **options: object) -> None:
        health_report = health.check_parts(
            deadline=_SECONDS, parts=database.doctor_parts(), others=servers.MORE_PARTS, is_local=True
        )
        parts = {name: part for name, part in health_report.items() if name != "ok"}
        self.report(
            "\n".join(f"{name:<11}{_describe_part(part)}" for name, part in parts.items()), **health_report
        )
        failed = [name for name, part in parts.items() if not part["ok"]]
        if failed:
            raise CommandError(f"{len(failed)} of {len(parts)} do not work: {', '.join(failed)}.")


def _describe_part(part: dict) -> str:
    if part["ok"]:
        return f"ok, {part['note']}" if "note" in part else "ok"
    return f"FAILED: {part['why']}. {part['do']}"
