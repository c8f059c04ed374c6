"""
`manage.py erase_subject KEY`: erases all data about one subject.

Source: docs/contributing/spec/promises.md, S-57, I-62.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import psycopg
from django.core.management.base import CommandError
from django.db import DatabaseError
from pyspark.errors import PySparkException

from messages_app.access.actors import actor_of_command
from messages_app.erasure.journal import BadList
from messages_app.erasure.keys import BadKey, Key, read_key
from messages_app.erasure.replay import keep_values_out_again, keys_again, remove_files_again
from messages_app.erasure.services import CannotErase, Erased, erase_subject, would_erase
from messages_app.jobs.archive_months.tables import detached_months
from messages_app.management.base import ReportingCommand
from messages_app.messages.attachment import NotAttachedForThis
from spark_tasks.session import end_sessions

_MAX_REASON = 1000
_LEFT, _BAD_ARGUMENTS = 3, 2
_FROM_INPUT = "-"


class Command(ReportingCommand):
    help = (
        "Erase the data of one subject from the tables and files of the hub and the console: all rows with"
        " exactly this key in a column that names subjects. Rows that are still in progress are kept and"
        " reported. Run this as the owner of the tables, or with the role of the part erase."
        " Exit status: 0 erased, and a second search found nothing; 1 refused, or the second search found"
        " rows; 2 bad arguments; 3 erased except for the reported rows."
    )

    examples = (
        "erase_subject C-4711 --dry-run",
        "erase_subject C-4711 --reason 'request of 2 November' --yes",
        "erase_subject - --yes < key.txt",
        "erase_subject --again /secure/erased.jsonl --yes",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "key",
            metavar="KEY",
            nargs="?",
            help="the exact key; - reads it from standard input, so that no shell history has it",
        )
        parser.add_argument(
            "--again", type=Path, metavar="FILE", help="a list of erased rows: after a restore"
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would be erased")
        parser.add_argument(
            "--reason", default="", help="reason for the audit log; it must not name the subject"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(
        self, *, key: str | None, again: Path | None, dry_run: bool, reason: str, yes: bool, **options: object
    ) -> None:
        if (key is None) == (again is None):
            raise CommandError("Give a KEY, or --again FILE, and not both.", returncode=_BAD_ARGUMENTS)
        try:
            self._erase_all(_read_keys(key, again), again, dry_run=dry_run, reason=reason, is_sure=yes)
        except (BadKey, BadList) as error:
            raise CommandError(str(error), returncode=_BAD_ARGUMENTS) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Erased rows remain erased. Run this again.") from None
        except (CannotErase, NotAttachedForThis) as error:
            raise CommandError(str(error)) from None
        except (DatabaseError, psycopg.Error, PySparkException, OSError) as error:
            # The error text may contain the key.
            text = f"Ended early ({type(error).__name__}). Erased rows remain erased. Run this again."
            raise CommandError(text) from None
        finally:
            end_sessions()

    def _erase_all(
        self, keys: list[Key], again: Path | None, *, dry_run: bool, reason: str, is_sure: bool
    ) -> None:
        _check_reason(reason, keys)
        if not (dry_run or is_sure):
            self._ask_to_continue(len(keys))
        actor = actor_of_command()
        if again and not dry_run:
            remove_files_again(again)
            keep_values_out_again(again)
        if dry_run:
            erased = [would_erase(key=key, actor=actor) for key in keys]
        else:
            erased = [erase_subject(key=key, actor=actor, reason=reason) for key in keys]
        apart = detached_months()
        words = [*_describe_erased(erased, dry_run=dry_run), *map(_name_month, apart)]
        result = _result_of(keys, erased, dry_run=dry_run) | {"detached_months": apart}
        self.report("\n".join(words), **result)
        _check_end(erased, dry_run=dry_run)

    def _ask_to_continue(self, subjects: int) -> None:
        if not sys.stdin.isatty():
            text = "Not a terminal: run with --dry-run first, then with --yes."
            raise CommandError(text, returncode=_BAD_ARGUMENTS)
        self.stderr.write(
            f"This erases all data of {subjects} subject(s) and cannot be undone. Type 'erase' to continue:"
        )
        if sys.stdin.readline().strip() != "erase":
            raise CommandError("Nothing was erased.")


def _read_keys(key: str | None, again: Path | None) -> list[Key]:
    if again is not None:
        return keys_again(again)
    return [read_key(sys.stdin.readline().rstrip("\n") if key == _FROM_INPUT else key or "")]


def _check_reason(reason: str, keys: list[Key]) -> None:
    if len(reason) > _MAX_REASON or "\0" in reason:
        text = f"--reason: at most {_MAX_REASON} characters, without NUL."
        raise CommandError(text, returncode=_BAD_ARGUMENTS)
    if any(key.remove_from(reason) != reason for key in keys):
        text = "--reason must not name the subject, because the audit log keeps it."
        raise CommandError(text, returncode=_BAD_ARGUMENTS)


def _describe_erased(erased: list[Erased], *, dry_run: bool) -> Iterator[str]:
    done = "would be erased" if dry_run else "erased"
    for one in erased:
        if not one.rows:
            yield "Nothing was found that could be erased."
        width = max(map(len, one.rows), default=0)
        for place, rows in sorted(one.rows.items()):
            yield f"{place:<{width}}  {rows:>8}  {done}"
        for place, name, why in one.left:
            yield f"Not erased: {place} {name}: {why}."
        for parent in one.parents:
            yield f"Kept: message {parent} is the parent of an erased one, and may be about other subjects."
    if not erased:
        yield "None of the erased rows exists again."


def _name_month(month: str) -> str:
    return f"Not searched: the month {month} is detached from the archive (`archive_months`)."


def _result_of(keys: list[Key], erased: list[Erased], *, dry_run: bool) -> dict[str, object]:
    subjects = [
        {
            "subject": key.digest,
            "rows": dict(sorted(one.rows.items())),
            "left": [dict(zip(("place", "name", "why"), each, strict=True)) for each in one.left],
            "parents": one.parents,
            "found_again": dict(sorted(one.again.items())),
        }
        for key, one in zip(keys, erased, strict=True)
    ]
    return {"dry_run": dry_run, "subjects": subjects}


def _check_end(erased: list[Erased], *, dry_run: bool) -> None:
    if again := sum(sum(one.again.values()) for one in erased):
        raise CommandError(
            f"A second search found {again} rows that were written in the meantime. Run this again."
        )
    if not dry_run and (left := sum(len(one.left) for one in erased)):
        text = f"Not erased: {left}. Each line says what to do. Then run this again."
        raise CommandError(text, returncode=_LEFT)
