"""
manage.py exactly_once TRIGGER UUID PROGRAM...: runs a program once for each document.

How a hub's own code uses the history: check, work, complete. For Celery tasks there is a decorator:
document_history/exactly_once.py.
"""

import subprocess
from argparse import REMAINDER, ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from messages_app.document_history import services
from messages_app.document_history.states import NO_COUNT, Verdict


class Command(BaseCommand):
    help = (
        "Run a program for a document, unless it ran before: exit 0 for a duplicate as well, 1 where it is in"
        " doubt, or the program failed; a failed document is a duplicate from then on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("trigger", help="the trigger's id")
        parser.add_argument("uuid", help="the document's UUID")
        parser.add_argument(
            "--redelivery-count",
            type=int,
            default=NO_COUNT,
            help="how often it was delivered before (%(default)s: nobody counts)",
        )
        parser.add_argument("program", nargs=REMAINDER, help="the program and its arguments")

    def handle(
        self, *, trigger: str, uuid: str, redelivery_count: int, program: list[str], **options: object
    ) -> None:
        if not program:
            raise CommandError("Name a program to run.", returncode=2)
        try:
            checked = services.check(trigger_id=trigger, uuid=uuid, redelivery_count=redelivery_count)
        except (services.TriggerNotFound, services.CannotDecide) as error:
            raise CommandError(str(error)) from None
        if checked.verdict is Verdict.IN_DOUBT:
            raise CommandError(f"In doubt, and not run: {checked.message}")
        if checked.verdict is Verdict.DUPLICATE:
            self.stdout.write(f"A duplicate, and not run: {checked.message}")
            return
        self._run(trigger, checked, program)

    def _run(self, trigger: str, checked: services.Checked, program: list[str]) -> None:
        try:
            ended = subprocess.run(program, check=False)  # noqa: S603 (the caller's own program)
        except OSError as error:
            # Nothing ran: the document is as new as it was, and a copy of it may be processed.
            if checked.token is not None:
                services.abandon(trigger_id=trigger, uuid=checked.uuid, token=checked.token)
            raise CommandError(f"{program[0]!r} cannot be run: {error.strerror}.", returncode=2) from None
        is_done = checked.token is None or services.complete_patiently(
            trigger_id=trigger, uuid=checked.uuid, token=checked.token
        )
        if not is_done:
            raise CommandError("It ran, but could not be completed: a copy will be in doubt.")
        if ended.returncode:
            raise CommandError(f"The program ended with {ended.returncode}.")
