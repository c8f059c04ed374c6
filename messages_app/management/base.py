"""The base of the console's commands: examples in the help, and results in words or, with --json, as JSON."""

import json
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter
from django.core.serializers.json import DjangoJSONEncoder


class _Formatter(RawDescriptionHelpFormatter, DjangoHelpFormatter):
    """Keeps the line breaks of examples."""


class ReportingCommand(BaseCommand):
    """
    A command that prints its result in words, or with --json as JSON.

    Attributes:
        examples: lines of the help, each from the name of the command on.
    """

    examples: tuple[str, ...] = ()
    # Checks load every page and the API, which takes a second. `up` and the web processes run them.
    requires_system_checks: list[str] = []
    _as_json = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        lines = [f"  {settings.COMMAND_LINE} {each}" for each in self.examples]
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
