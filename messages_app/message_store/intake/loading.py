"""
Loading files into the store: one message (.json) or one a line (.jsonl, .ndjson), or folders of such files.

With `is_all_data` a file holds the data alone, of one message; everything else comes from the options.
Source: spec/other-systems.md 2.4 (allData, loader options).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.db import transaction

from messages_app.audit.services import Actor
from messages_app.message_store.intake.reading import ANYTHING, Allowed, read_message
from messages_app.message_store.intake.storing import store_message
from messages_app.message_store.processing.attempting import process_message
from messages_app.message_store.refusals import InvalidInput
from messages_app.web.json_body import strict_json
from messages_app.web.numbered_lines import MAX_LINE_BYTES, numbered_lines
from messages_app.web.problems import Problem

_LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
_SUFFIXES = _LINE_SUFFIXES | {".json"}
_MESSAGES_PER_TRANSACTION = 200

# Called with one line that names the file (and line) and says what became of it.
OnLeftOut = Callable[[str], None]


class PathMissing(Exception):
    """A path that was asked for is neither a file nor a folder; nothing was loaded."""


class _Refused(Exception):
    """One file or line holds no message, and why."""


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """How many messages were stored, dropped since their identifiers exist, and refused."""

    stored: int
    dropped: int
    refused: int


@dataclass(frozen=True, kw_only=True)
class HowToLoad:
    """
    The loader's options.

    Args:
        allowed: systems, entities and users that messages may have, and their defaults.
        common: fields of each message that does not say them itself: timestamp, refresh, process, options.
        is_all_data: a file is one message's data.
    """

    allowed: Allowed = ANYTHING
    common: Mapping[str, object] | None = None
    is_all_data: bool = False


def load_paths(
    *, paths: Iterable[Path], actor: Actor, on_left_out: OnLeftOut, how: HowToLoad | None = None
) -> LoadReport:
    """
    Store every message of files and folders, in the order of their names.

    Raises:
        PathMissing: a path does not exist; nothing was loaded.
        django.db.Error: the database failed; what was stored before stays.
    """
    how = how or HowToLoad()
    files = _files(list(paths))
    counts = {"stored": 0, "dropped": 0, "refused": 0}
    items = _items(files, how)
    while batch := list(islice(items, _MESSAGES_PER_TRANSACTION)):
        asked: list[str] = []
        with transaction.atomic():
            for place, made in batch:
                counts[_store(place, made, how, actor, on_left_out, asked)] += 1
        for identifier in asked:
            process_message(identifier)
    return LoadReport(**counts)


def _store(
    place: str,
    made: Callable[[], Mapping[str, object]],
    how: HowToLoad,
    actor: Actor,
    on_left_out: OnLeftOut,
    asked: list[str],
) -> str:
    """Store one; return what became of it. Those to be processed at once go to `asked`."""
    try:
        message = read_message(dict(how.common or {}) | dict(made()), allowed=how.allowed)
    except (_Refused, InvalidInput) as refusal:
        on_left_out(f"{place}: {' '.join(str(refusal).split())}")
        return "refused"
    stored = store_message(message, actor=actor)
    if stored.is_dropped:
        same = "the same content" if stored.is_same else "other content"
        on_left_out(f"{place}: dropped, {stored.identifier} exists with {same}.")
        return "dropped"
    if message.process:
        asked.append(stored.identifier)
    return "stored"


def _files(paths: list[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise PathMissing(f"{path} does not exist.")
        inside = path.is_dir()
        found = (
            sorted(file for file in path.iterdir() if file.suffix.lower() in _SUFFIXES) if inside else [path]
        )
        files += [file for file in found if file not in files]
    return files


def _items(files: list[Path], how: HowToLoad) -> Iterator[tuple[str, Callable[[], Mapping[str, object]]]]:
    """Yield where a message stands and how it is read."""
    for file in files:
        if how.is_all_data:
            yield str(file), lambda file=file: {"data": _whole(file).decode("utf-8-sig", "surrogateescape")}
        elif file.suffix.lower() in _LINE_SUFFIXES:
            yield from _lines(file)
        else:
            yield str(file), lambda file=file: _object(_whole(file))


def _lines(file: Path) -> Iterator[tuple[str, Callable[[], Mapping[str, object]]]]:
    try:
        for number, line in numbered_lines(file):
            yield f"{file}, line {number}", lambda line=line: _object(line)
    except OSError as error:
        yield str(file), lambda why=error.strerror: _refuse(f"cannot be read: {why}.")


def _refuse(why: str) -> Mapping[str, object]:
    raise _Refused(why)


def _whole(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise _Refused(f"cannot be read: {error.strerror}.") from None
    if len(content) > MAX_LINE_BYTES:
        raise _Refused(f"has more than {MAX_LINE_BYTES} bytes.")
    return content


def _object(raw: bytes | None) -> Mapping[str, object]:
    if raw is None:
        raise _Refused(f"the line is longer than {MAX_LINE_BYTES} bytes.")
    try:
        found = strict_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _Refused("not UTF-8.") from None
    except Problem as problem:
        raise _Refused(problem.detail) from None
    if not isinstance(found, dict):
        raise _Refused("a message must be a JSON object.")
    return found
