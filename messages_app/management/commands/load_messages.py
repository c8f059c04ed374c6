"""`manage.py load_messages PATH...`: loads files as messages of the hub or of the message store."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import Error

from messages_app.access.actors import actor_of_command
from messages_app.management.base import ReportingCommand
from messages_app.message_store.services.intake import Allowed
from messages_app.message_store.services.loader import Common, HowToLoad, PathMissing, load_paths
from messages_app.messages.attachment import NotAttachedForThis
from messages_app.messages.importers import storage


class Command(ReportingCommand):
    help = (
        "Load XML documents (.xml) and JSON lines (.jsonl, .ndjson) as messages; with --store, JSON (.json)"
        " and JSON lines as messages of the message store. A folder means all such files in it. Input that"
        " cannot be loaded is reported and skipped."
        " Exit status: 0 all loaded, 1 something refused, 2 bad arguments."
    )
    examples = (
        "load_messages ../invoices/",
        "load_messages --store --system crm --entity customer --all-data --process customers.json",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files and folders")
        parser.add_argument(
            "--with-doctype",
            action="store_true",
            help="also load XML documents with a DOCTYPE; nothing in it is resolved, loaded or expanded",
        )
        store_options = parser.add_argument_group("with --store")
        store_options.add_argument("--store", action="store_true", help="into the message store")
        store_options.add_argument(
            "--all-data",
            action="store_true",
            help="a file contains only the data of one message",
        )
        for name in ("system", "entity", "user"):
            store_options.add_argument(
                f"--{name}",
                type=_split_values,
                default=(),
                metavar="A|B",
                help="allowed; a single one is the default",
            )
        store_options.add_argument(
            "--timestamp", help="time from which the data are valid, for messages without one"
        )
        store_options.add_argument(
            "--options", type=_parse_json, metavar="JSON", help="options of messages without any"
        )
        store_options.add_argument(
            "--refresh", action="store_true", help="each message replaces all data of its entity"
        )
        store_options.add_argument("--process", action="store_true", help="process each message immediately")
        store_options.add_argument(
            "--move-to",
            type=Path,
            metavar="FOLDER",
            help="move each file here once it is stored completely; a second run stores nothing twice",
        )

    def handle(self, *, paths: list[Path], **options: object) -> None:
        try:
            summary, counts = (
                self._load_into_store(paths, options)
                if options["store"]
                else self._load_paths(paths, options)
            )
        except (storage.PathMissing, PathMissing) as error:
            raise CommandError(str(error), returncode=2) from None
        except NotAttachedForThis as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted; what was loaded before stays.") from None
        except Error as error:
            raise CommandError(f"The database failed: {str(error).strip().splitlines()[0]}") from None
        is_whole = not (counts["refused"] or counts.get("unmoved"))
        if self._as_json or is_whole:
            self.report(summary, **counts)
        if not is_whole:
            raise CommandError(summary)

    def _load_paths(self, paths: list[Path], options: dict[str, Any]) -> tuple[str, dict[str, int]]:
        report = storage.load_paths(
            paths=paths, on_refused=self.stderr.write, with_doctype=options["with_doctype"]
        )
        counts = {"loaded": report.loaded, "refused": report.refused}
        return _summarize_counts(counts), counts

    def _load_into_store(self, paths: list[Path], options: dict[str, Any]) -> tuple[str, dict[str, int]]:
        common: Common = {}
        if options["timestamp"] is not None:
            common["timestamp"] = options["timestamp"]
        if options["options"] is not None:
            common["options"] = options["options"]
        if options["refresh"]:
            common["refresh"] = True
        if options["process"]:
            common["process"] = True
        allowed = Allowed(**{name: options[name] for name in ("system", "entity", "user")})
        report = load_paths(
            paths=paths,
            actor=actor_of_command(),
            on_left_out=self.stderr.write,
            how=HowToLoad(
                allowed=allowed, common=common, is_all_data=options["all_data"], move_to=options["move_to"]
            ),
        )
        counts = {"stored": report.stored, "dropped": report.dropped, "refused": report.refused}
        summary = _summarize_counts(counts)
        if report.unmoved:
            summary += f" {report.unmoved} files not moved."
        return summary, counts | {"unmoved": report.unmoved}


def _summarize_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) + "."


def _split_values(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("|") if part)


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ArgumentTypeError(f"not JSON: {error}") from None
