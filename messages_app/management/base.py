"""The base of the console's commands: examples in the help, and results in words or, with --json, as JSON."""

import json
from argparse import RawDescriptionHelpFormatter
from time import monotonic
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter, OutputWrapper
from django.core.serializers.json import DjangoJSONEncoder
from tqdm import tqdm


class _Formatter(RawDescriptionHelpFormatter, DjangoHelpFormatter):
    """Keeps the line breaks of examples."""


class ReportingCommand(BaseCommand):
    """
    A command that prints its result in words, or with --json as JSON.

    Attributes:
        examples: lines of the help, without `python manage.py`.
    """

    examples: tuple[str, ...] = ()
    # Checks load every page and the API, which takes a second. `up` and the web processes run them.
    requires_system_checks: list[str] = []
    _as_json = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        lines = [f"  python manage.py {each}" for each in self.examples]
        parser = super().create_parser(
            prog_name,
            subcommand,
            epilog="\n".join(["examples:", *lines]) if lines else None,
            formatter_class=_Formatter,
            **kwargs,
        )
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="print the result as one JSON object"
        )
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        self._as_json = bool(options.pop("as_json", False))
        return super().execute(*args, **options)

    def report(self, words: str, **result: object) -> None:
        """Print the result: `words`, or with --json `result` as JSON."""
        self.stdout.write(json.dumps(result, cls=DjangoJSONEncoder) if self._as_json else words)


# The progress of a command: a bar on a terminal, otherwise a line every few seconds.


_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """
    Shows progress on `stream` until it is closed.

    Args:
        total: the final count.
        unit: the counted items, in the plural.
    """

    def __init__(self, *, total: int, unit: str, stream: TextIO | OutputWrapper) -> None:
        self._total = total
        self._unit = unit
        self._stream = stream
        self._bar = tqdm(total=total, unit=f" {unit}", file=stream) if stream.isatty() else None
        self._last_line_at = monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bar at its current count."""
        if self._bar is not None:
            self._bar.close()

    def say(self, text: str) -> None:
        """Write a line, above the bar if there is one."""
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            self._stream.write(f"{text}\n")

    def update(self, done: int) -> None:
        """Show `done` of the total."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif done == self._total or monotonic() - self._last_line_at >= _SECONDS_BETWEEN_LINES:
            self._stream.write(f"{done} of {self._total} {self._unit}\n")
            self._stream.flush()
            self._last_line_at = monotonic()
