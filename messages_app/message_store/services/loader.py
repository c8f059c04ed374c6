"""
Loading files into the store: one message (.json) or one a line (.jsonl, .ndjson), or folders of such files.

With `is_all_data` a file has only the data of one message; everything else comes from the options.
Source: docs/contributing/spec/message_store.md, "Receiving" (allData, loader options).
"""

import hashlib
import os
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypedDict

from messages_app.audit.services import Actor
from messages_app.core.files import MAX_LINE_BYTES, files_below, numbered_lines
from messages_app.core.problems import Problem
from messages_app.core.request_body import parse_strict_json
from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.intake import (
    ANYTHING,
    IDENTIFIERS,
    Allowed,
    NewMessage,
    Stored,
    read_message,
    store_messages,
)

# A folder that is emptied as its files are taken: each is moved away when all of it is stored.
#
# A run may die after it stored a file and before it moved it, and a file may be taken while someone still
# writes it. So a message that names no identifier gets one that the next run finds again: by the file, the
# line, and what is there. A file of the same name that comes later is another one, also where it says
# the same.
_NAMESPACE = uuid.UUID("b2c5e9c4-0a4e-5f0b-8d0e-6f5d2b7a9e31")


def identifier_of(file: Path, number: int, raw: bytes) -> str:
    """
    Return the identifier for the message of a line (0: the whole file). Raises OSError: the file is gone.
    """
    status = file.stat()
    content = hashlib.sha256(raw.strip()).hexdigest()
    return str(uuid.uuid5(_NAMESPACE, f"{status.st_dev}:{status.st_ino}:{file.name}:{number}:{content}"))


def move_file(file: Path, to: Path) -> None:
    """
    Move a file into a folder, past others of its name; one that someone has moved already is not an error.
    """
    target, number = to / file.name, 0
    while os.path.lexists(target):  # Also a broken link, through which the file would be written.
        number += 1
        target = to / f"{file.stem}.{number}{file.suffix}"
    try:
        shutil.move(file, target)
    except FileNotFoundError:
        return


_LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
_SUFFIXES = _LINE_SUFFIXES | {".json"}
_MESSAGES_PER_TRANSACTION = 200

# Called with one line that names the file (and line) and says the outcome of it.
OnLeftOut = Callable[[str], None]


class PathMissing(Exception):
    """A path that was asked for is not a file or folder, or cannot be read; nothing was loaded."""


class _Refused(Exception):
    """A file or line is not a valid message; the text gives the reason."""


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """
    How many messages were stored, dropped since their identifiers exist, and refused.

    Args:
        unmoved: files that were taken whole and could not be moved away.
    """

    stored: int
    dropped: int
    refused: int
    unmoved: int = 0


class Common(TypedDict, total=False):
    """Fields of a message object that all messages of a run may have in common."""

    timestamp: str
    refresh: bool
    process: bool
    options: object


@dataclass(frozen=True, kw_only=True)
class HowToLoad:
    """
    The loader's options.

    Args:
        allowed: systems, entities and users that messages may have, and their defaults.
        common: fields of each message that does not have them itself.
        is_all_data: a file is one message's data.
        move_to: a folder for each file of which nothing was refused. None: files stay.
    """

    allowed: Allowed = ANYTHING
    common: Common | None = None
    is_all_data: bool = False
    move_to: Path | None = None


def load_paths(
    *, paths: Iterable[Path], actor: Actor, on_left_out: OnLeftOut, how: HowToLoad | None = None
) -> LoadReport:
    """
    Store every message of files and folders, in the order of their names.

    Raises:
        PathMissing: a path, or the folder to move to, does not exist; nothing was loaded.
        django.db.Error: the database failed; what was stored before stays.
    """
    how = how or HowToLoad()
    paths = list(paths)
    left_out: list[Path] = []
    files = _select_files(paths, how, on_left_out, left_out)
    counts = Counter(stored=0, dropped=0, refused=len(left_out))
    if how.move_to is None:
        counts.update(_load_files(files, how, actor, on_left_out))
        return LoadReport(**counts)
    _check_folder(how.move_to, paths)
    for file in files:
        counts_of_file = _load_files([file], how, actor, on_left_out)
        if not counts_of_file["refused"]:
            counts_of_file["unmoved"] = _try_to_move(file, how.move_to, on_left_out)
        counts.update(counts_of_file)
    return LoadReport(**counts)


def _check_folder(folder: Path, paths: Iterable[Path]) -> None:
    if not folder.is_dir():
        raise PathMissing(f"{folder} is not a folder.")
    if any(folder.resolve() == path.resolve() for path in paths):
        raise PathMissing(f"{folder} is the source folder. Choose a different destination.")


def _try_to_move(file: Path, to: Path, on_left_out: OnLeftOut) -> int:
    """Move a file; return 1 if this failed, otherwise 0."""
    try:
        move_file(file, to)
    except OSError as error:
        on_left_out(f"{file}: taken, but cannot be moved: {error.strerror}. The next run drops what it has.")
        return 1
    return 0


def _load_files(files: list[Path], how: HowToLoad, actor: Actor, on_left_out: OnLeftOut) -> dict[str, int]:
    """Store the messages of these files; return how many were stored, dropped and refused."""
    counts = {"stored": 0, "dropped": 0, "refused": 0}
    items = _iterate_items(files, how)
    while batch := list(islice(items, _MESSAGES_PER_TRANSACTION)):
        read = [(place, _message_or_refusal(made, how)) for place, made in batch]
        messages = [message for _, message in read if isinstance(message, NewMessage)]
        stored = iter(store_messages(messages, actor=actor))
        to_process = []
        for place, message in read:
            outcome = _report_outcome(place, message, stored, on_left_out)
            counts[outcome] += 1
            if isinstance(message, NewMessage) and message.process and outcome == "stored":
                to_process.append(message.identifier)
        for identifier in to_process:
            process_message(identifier)
    return counts


def _message_or_refusal(made: Callable[[], Mapping[str, object]], how: HowToLoad) -> NewMessage | str:
    """Return the message, or why it is refused."""
    try:
        return read_message({**(how.common or {}), **made()}, allowed=how.allowed)
    except (_Refused, InvalidInput) as refusal:
        return " ".join(str(refusal).split())


def _report_outcome(
    place: str, message: NewMessage | str, answers: Iterator[Stored], on_left_out: OnLeftOut
) -> str:
    """Return the outcome of a message, and report it if it was not stored."""
    if isinstance(message, str):
        on_left_out(f"{place}: {message}")
        return "refused"
    stored = next(answers)
    if stored.is_dropped:
        same = "the same content" if stored.is_same else "other content"
        on_left_out(f"{place}: dropped, {stored.identifier} exists with {same}.")
        return "dropped"
    return "stored"


def _select_files(
    paths: list[Path], how: HowToLoad, on_left_out: OnLeftOut, left_out: list[Path]
) -> list[Path]:
    """Return the files to load; folders that are left out go to `left_out`."""

    def leave_out(path: Path, why: str) -> None:
        left_out.append(path)
        on_left_out(f"{path}: {why}")

    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise PathMissing(f"{path} does not exist.")
        if not path.is_dir():
            files_of_path = [path]
        elif how.move_to is None:
            files_of_path = files_below(path, _SUFFIXES, on_left_out=leave_out)
        else:
            files_of_path = _own_files_of(path)
        files += [file for file in files_of_path if file not in files]
    return files


def _own_files_of(folder: Path) -> list[Path]:
    """
    Return the files directly in a folder: moved files keep their names, which must differ.
    """
    try:
        return sorted(
            file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES and not file.is_dir()
        )
    except OSError as error:
        raise PathMissing(f"{folder} cannot be read: {error.strerror}.") from None


def _iterate_items(
    files: list[Path], how: HowToLoad
) -> Iterator[tuple[str, Callable[[], Mapping[str, object]]]]:
    """Yield the place of each message and how to read it."""
    for file in files:
        if not how.is_all_data and file.suffix.lower() in _LINE_SUFFIXES:
            yield from _iterate_lines(file, how)
        else:
            yield str(file), partial(_made_of_file, file, how)


def _iterate_lines(file: Path, how: HowToLoad) -> Iterator[tuple[str, Callable[[], Mapping[str, object]]]]:
    try:
        for number, line in numbered_lines(file):
            yield f"{file}, line {number}", partial(_read_message, line, file, number, how)
    except OSError as error:
        yield str(file), partial(_raise_refusal, f"cannot be read: {error.strerror}.")


def _made_of_file(file: Path, how: HowToLoad) -> Mapping[str, object]:
    return _read_message(_read_file(file), file, 0, how)


def _read_message(raw: bytes | None, file: Path, number: int, how: HowToLoad) -> Mapping[str, object]:
    """Return the message object of a file, or of a line of it; None is a line that is too long."""
    if raw is None:
        raise _Refused(f"the line is longer than {MAX_LINE_BYTES} bytes.")
    if how.is_all_data:
        message: Mapping[str, object] = {"data": raw.decode("utf-8-sig", "surrogateescape")}
    else:
        message = _parse_object(raw)
    if how.move_to is None or any(message.get(name) is not None for name in IDENTIFIERS):
        return message
    try:
        return dict(message) | {"identifier": identifier_of(file, number, raw)}
    except OSError as error:
        raise _Refused(f"cannot be read: {error.strerror}.") from None


def _raise_refusal(why: str) -> Mapping[str, object]:
    raise _Refused(why)


def _read_file(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise _Refused(f"cannot be read: {error.strerror}.") from None
    if len(content) > MAX_LINE_BYTES:
        raise _Refused(f"has more than {MAX_LINE_BYTES} bytes.")
    return content


def _parse_object(raw: bytes) -> Mapping[str, object]:
    try:
        message = parse_strict_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _Refused("not UTF-8.") from None
    except Problem as problem:
        raise _Refused(problem.detail) from None
    if not isinstance(message, dict):
        raise _Refused("a message must be a JSON object.")
    return message
