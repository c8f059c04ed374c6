"""
manage.py exactly_once TRIGGER UUID PROGRAM...: runs a program once for each document.

Shows how a hub's code uses the history: check, process, complete. For Celery tasks there is a decorator:
document_history/exactly_once.py. The exit statuses are in docs/howto/process_documents_exactly_once.md,
"From a shell".
"""

import subprocess
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError
from enum import IntEnum

from django.core.management.base import BaseCommand, CommandError

from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_patiently
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.services.errors import CannotDecide, TriggerNotFound
from messages_app.document_history.states import NO_COUNT, Verdict


class Status(IntEnum):
    """The exit statuses of the command itself. A program that ends with one of them is FAILED."""

    DONE = 0
    FAILED = 1
    BAD_ARGUMENTS = 2
    NO_VERDICT = 75
    IN_DOUBT = 80
    NOT_COMPLETED = 81


class Command(BaseCommand):
    help = (
        "Run a program for a document, unless it ran before. Exit status: 0 the program ended with 0, or the"
        " document is a duplicate; 2 bad arguments, an unknown trigger, or a program that cannot be run; 75"
        " no verdict, deliver it again later; 80 in doubt, and on the list for a person; 81 the program ran,"
        " but its end could not be written; 1 and any other: the program's own, and a copy is a duplicate"
        " from then on. A program's own 2, 75, 80 and 81 are reported as 1."
    )
    # The command starts for each document.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("trigger", help="the trigger's id")
        parser.add_argument("uuid", help="the document's UUID")
        parser.add_argument(
            "--redelivery-count",
            type=int,
            default=NO_COUNT,
            help="how often it was delivered before (%(default)s: not counted)",
        )
        parser.add_argument(
            "--duplicate-status",
            type=_parse_status,
            default=Status.DONE.value,
            metavar="N",
            help="end with this for a duplicate (%(default)s)",
        )
        parser.add_argument("program", nargs=REMAINDER, help="the program and its arguments")

    def handle(
        self,
        *,
        trigger: str,
        uuid: str,
        redelivery_count: int,
        duplicate_status: int,
        program: list[str],
        **options: object,
    ) -> None:
        if not program:
            raise _error_of(Status.BAD_ARGUMENTS, "Give a program to run.")
        try:
            checked = check_document(trigger_id=trigger, uuid=uuid, redelivery_count=redelivery_count)
        except TriggerNotFound as error:
            raise _error_of(Status.BAD_ARGUMENTS, str(error)) from None
        except CannotDecide as error:
            raise _error_of(Status.NO_VERDICT, str(error)) from None
        if checked.verdict is Verdict.IN_DOUBT:
            raise _error_of(Status.IN_DOUBT, f"In doubt, and not run: {checked.message}")
        if checked.verdict is Verdict.DUPLICATE:
            text = f"A duplicate, and not run: {checked.message}"
            if duplicate_status != Status.DONE:
                raise CommandError(text, returncode=duplicate_status)
            self.stdout.write(text)
            return
        self._run(trigger, checked, program)

    def _run(self, trigger: str, checked: Checked, program: list[str]) -> None:
        try:
            ended = subprocess.run(program, check=False)  # noqa: S603 (the caller's own program)
        except OSError as error:
            # Nothing ran, so the document is still new, and a copy of it may be processed.
            if checked.token is not None and checked.uuid is not None:
                abandon_document(trigger_id=trigger, uuid=checked.uuid, token=checked.token)
            text = f"{program[0]!r} cannot be run: {error.strerror}."
            raise _error_of(Status.BAD_ARGUMENTS, text) from None
        is_done = (
            checked.token is None
            or checked.uuid is None
            or complete_patiently(trigger_id=trigger, uuid=checked.uuid, token=checked.token)
        )
        if not is_done:
            text = f"The program ended with {ended.returncode}, but that could not be written"
            raise _error_of(Status.NOT_COMPLETED, f"{text}: a copy will be in doubt.")
        if ended.returncode:
            raise CommandError(
                f"The program ended with {ended.returncode}.", returncode=_pass_on_status(ended.returncode)
            )


def _pass_on_status(returncode: int) -> int:
    """Return the program's exit status as in a shell; FAILED for a status that has another meaning here."""
    status = 128 - returncode if returncode < 0 else returncode
    return Status.FAILED.value if status in set(Status) else status


def _error_of(status: Status, text: str) -> CommandError:
    return CommandError(text, returncode=status.value)


def _parse_status(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 256):
        raise ArgumentTypeError(f"{text!r} is not an exit status from 0 to 255.")
    return int(text)
