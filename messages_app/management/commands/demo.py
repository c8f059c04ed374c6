"""`manage.py demo`: fills an empty hub with realistic data."""

from argparse import ArgumentTypeError

from django.core.management.base import CommandError
from django.db import Error

from messages_app.demo.loader import NotEmpty, load_demo
from messages_app.management.base import ReportingCommand
from messages_app.management.progress import Progress
from messages_app.messages.attachment import NotAttachedForThis

DEFAULT_MESSAGES = 50_000
_MAX_MESSAGES = 100_000_000


def _parse_count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MAX_MESSAGES:
        raise ArgumentTypeError(f"must be a number from 1 to {_MAX_MESSAGES}, not {text!r}")
    return int(text)


class Command(ReportingCommand):
    help = (
        "Load demo data: messages of two years with all their rows. "
        "Refuses a database with rows in the hub's tables or archive. An interrupted load leaves nothing."
    )
    examples = ("demo --messages 1000000 --seed 7",)

    def add_arguments(self, parser) -> None:
        parser.add_argument(
            "--messages",
            type=_parse_count,
            default=DEFAULT_MESSAGES,
            metavar="N",
            help="size of the demo (50 000)",
        )
        parser.add_argument(
            "--seed", type=int, default=1, metavar="S", help="the same number gives the same demo"
        )

    def handle(self, *, messages: int, seed: int, **options) -> None:
        with Progress(total=messages, unit="messages", stream=self.stderr) as progress:
            try:
                load_demo(count=messages, seed=seed, on_progress=progress.update)
            except NotEmpty as error:
                raise CommandError(f"The demo needs an empty hub: {error}. Nothing was loaded.") from None
            except NotAttachedForThis as error:
                raise CommandError(str(error)) from None
            except KeyboardInterrupt:
                raise CommandError("Interrupted, nothing was loaded.") from None
            except Error as error:
                text = str(error).strip().splitlines()[0]
                raise CommandError(f"The database failed, nothing was loaded: {text}") from None
        self.report(f"{messages} messages loaded.", messages=messages, seed=seed)
