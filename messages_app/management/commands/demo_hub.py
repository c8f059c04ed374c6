"""`manage.py demo_hub`: simulates a hub on the console's tables, for the demo and for tests."""

import re
import signal
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from messages_app.demo.hub.demo_hub import DemoHub
from messages_app.demo.hub.ground import Ground, look_at_ground
from messages_app.demo.hub.play import Play, Timing
from messages_app.demo.hub_tables import refuse_other_hub
from messages_app.messages.attachment import NotAttachedForThis

_MAX_RATE = 10_000.0
_OF_PLAY = ("rate", "seed", "failing", "skip_uris", "log")


def parse_rate(text: str) -> float:
    """Convert the text of an argument to messages per second."""
    return _parse_number(text, least=0.0)


def _parse_positive(text: str) -> float:
    return _parse_number(text, least=0.01)


def _parse_share(text: str) -> float:
    return _parse_number(text, least=0.0, most=1.0)


def _parse_number(text: str, *, least: float, most: float = _MAX_RATE) -> float:
    try:
        number = float(text) if text.isascii() else None
    except ValueError:
        number = None
    if number is None or not least <= number <= most:  # Also rejects NaN.
        raise ArgumentTypeError(f"must be a number from {least:g} to {most:g}, not {text!r}")
    return number


def _parse_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ArgumentTypeError(f"is not a regular expression: {error}") from None
    return text


class Command(BaseCommand):
    help = (
        "Simulate a hub: receive, process, fail, retry, postpone, wait and repair by the hub's rules, "
        "until SIGTERM or Ctrl-C. Refuses a database with messages that the demo did not make."
    )

    # The simulated hub serves no pages, and tests start it often.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--rate", type=parse_rate, default=1.0, metavar="R", help="messages received per second (1)")
        add("--speed", type=_parse_positive, default=1.0, metavar="S", help="divides the hub's waits (1)")
        add("--seed", type=int, default=1, metavar="N", help="the same number gives the same course (1)")
        add(
            "--for",
            type=_parse_positive,
            dest=("seconds"),
            metavar="SECONDS",
            help="stop after this number of seconds",
        )
        add(
            "--failing",
            type=_parse_share,
            default=0.08,
            metavar="SHARE",
            help="share that fails at first (0.08)",
        )
        add("--log", type=Path, metavar="FILE", help="append the ids of all rows changed, as JSON lines")
        add(
            "--gently",
            action="store_true",
            dest="is_gentle",
            help="keep the demo's stories; speed divides the poll's waits only",
        )
        add("--ordered-funnel", action="append", default=[], metavar="ID", help="its funnel keeps order")
        add("--skip-uris", type=_parse_pattern, default="", metavar="REGEX", help="calls that are not made")
        add("--any-messages", action="store_true", help="also run messages that the demo did not make")

    def handle(
        self, *, seconds: float | None, any_messages: bool, speed: float, is_gentle: bool, **options: Any
    ) -> None:
        _check_log(options["log"])
        try:
            refuse_other_hub()
        except NotAttachedForThis as error:
            raise CommandError(str(error)) from None
        hub = DemoHub(
            Play(
                timing=Timing.make_gentle(speed) if is_gentle else Timing.at_speed(speed),
                is_gentle=is_gentle,
                ordered_funnels=frozenset(options["ordered_funnel"]),
                **{name: options[name] for name in _OF_PLAY},
            )
        )
        if not (any_messages or is_gentle) and look_at_ground() is Ground.FOREIGN:
            raise CommandError(
                "The database holds messages that the demo did not make: --any-messages runs those too."
            )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: hub.stop())
        hub.work(seconds=seconds)
        counts = ", ".join(f"{state} {count}" for state, count in sorted(hub.entered_counts.items()))
        self.stdout.write(f"stopped; states written: {counts or 'none'}; routes broken: {hub.errors}")


def _check_log(path: Path | None) -> None:
    try:
        if path is not None:
            path.open("ab").close()
    except OSError as error:
        raise CommandError(f"--log {path} cannot be written: {error.strerror}.") from None
