"""
manage.py sweep_document_history: removes expired entries now.

Source: docs/contributing/spec/interfaces.md, "Commands".
"""

from argparse import ArgumentParser

from messages_app.access.actors import actor_of_command
from messages_app.core.formatting import count_of
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.management.base import ReportingCommand


class Command(ReportingCommand):
    help = "Remove the expired entries of the document history now, in batches that no check waits for."
    examples = ("sweep_document_history --reason 'the disk is full'",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reason", default="", help="reason; recorded in the audit log")

    def handle(self, *, reason: str, **options: object) -> None:
        run = sweep_entries(actor=actor_of_command(), reason=reason[:1000])
        self.report(f"Removed {count_of(run.removed, 'entry')}.", removed=run.removed)
