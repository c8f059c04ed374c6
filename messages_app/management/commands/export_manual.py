"""
`hubconsole export_manual`: writes the manual as files for another web server.

Source: docs/howto/publish_the_manual.md.
"""

import argparse
from pathlib import Path

from django.core.management.base import CommandError

from messages_app.management.base import ReportingCommand
from messages_app.manual.exported_folder import NotWritten, replace_folder
from messages_app.manual.exported_pages import list_files
from messages_app.manual.library import read_manual


class Command(ReportingCommand):
    help = (
        "Write the manual of this release as files for any web server, with its search. It needs neither the"
        " database nor a running console. A folder that is not empty is replaced only if it is an earlier"
        " export, as a whole."
    )
    examples = ("export_manual /srv/www/docs/hub", "export_manual manual --json")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, help="the folder, which is made if it does not exist")

    def handle(self, *, directory: Path, **options: object) -> None:
        manual = read_manual()
        if not manual.chapters:
            raise CommandError("The folder docs of the release is missing.")
        try:
            files = replace_folder(directory, list_files(manual))
        except NotWritten as error:
            raise CommandError(str(error)) from None
        pages = len(manual.chapters) + 1
        self.report(f"Wrote {files} files, {pages} of them pages, to {directory}.", files=files, pages=pages)
