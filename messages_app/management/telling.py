"""The base of our commands: examples in the help, and a result in words, or with --json for programs."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from django.core.management.base import BaseCommand, DjangoHelpFormatter
from django.core.serializers.json import DjangoJSONEncoder


class _Formatter(RawDescriptionHelpFormatter, DjangoHelpFormatter):
    """Leaves the lines of examples as they are."""


class TellingCommand(BaseCommand):
    """
    A command.

    Attributes:
        examples: lines of the help, without `python manage.py`.
    """

    examples: tuple[str, ...] = ()
    _as_json = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: object) -> ArgumentParser:
        lines = [f"  python manage.py {each}" for each in self.examples]
        parser = super().create_parser(
            prog_name,
            subcommand,
            epilog="\n".join(["examples:", *lines]) if lines else None,
            formatter_class=_Formatter,
            **kwargs,
        )
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="tell the result as one JSON object"
        )
        return parser

    def execute(self, *args: object, **options: object) -> str | None:
        self._as_json = bool(options.pop("as_json", False))
        return super().execute(*args, **options)

    def tell(self, words: str, **result: object) -> None:
        """Print what came of it: the words, or with --json the result."""
        self.stdout.write(json.dumps(result, cls=DjangoJSONEncoder) if self._as_json else words)
