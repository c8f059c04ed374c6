"""`manage.py load_messages PATH...`: XML documents and JSON lines become messages."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from messages_app.messages.loading import store


class Command(BaseCommand):
    help = (
        "Load XML documents (.xml) and JSON lines (.jsonl, .ndjson) as messages. "
        "A folder stands for all such files in it. What cannot be loaded is named and left out. "
        "Exit status: 0 all loaded, 1 something refused, 2 bad arguments."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")

    def handle(self, *, paths: list[Path], **options) -> None:
        try:
            report = store.load_paths(paths=paths, on_refused=self.stderr.write)
        except store.PathMissing as error:
            raise CommandError(str(error), returncode=2) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted; what was loaded before stays.") from None
        except Error as error:
            raise CommandError(f"The database failed: {str(error).strip().splitlines()[0]}") from None
        summary = f"{report.loaded} loaded, {report.refused} refused."
        if report.refused:
            raise CommandError(summary)
        self.stdout.write(summary)
