#!/usr/bin/env python
"""Hub Console's command line: every command of docs/ starts here."""

import os
import sys


def main() -> None:
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


if __name__ == "__main__":
    main()
