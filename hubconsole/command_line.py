"""The command line: `hubconsole COMMAND`, and `python manage.py COMMAND` in a clone."""

import os
import sys

from hubconsole import __version__
from hubconsole.command_overview import make_overview


def run_command_line() -> None:
    """Run the command that the arguments of this process name."""
    if sys.argv[1:] in (["--version"], ["version"]):
        print(f"Hub Console {__version__}")  # noqa: T201
        return
    # A shell that completes a line runs the command without words.
    if sys.argv[1:] in ([], ["help"], ["--help"], ["-h"]) and "DJANGO_AUTO_COMPLETE" not in os.environ:
        print(make_overview())  # noqa: T201
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
    from django.conf import settings
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    from hubconsole.suitability import refusal_of_command, why_no_database

    if why := refusal_of_command(sys.argv[1:]):
        raise SystemExit(f"hubconsole: {why}")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        line = why_no_database(error, settings.HUBCONSOLE_HOME)
        if line is None:
            raise
        raise SystemExit(f"hubconsole: {line}") from error
