"""From a stored message to the rows of its data, by its reader. Source: spec/other-systems.md 2.5 step 3."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from messages_app.message_store.extensions import Source, UnknownExtension, UnreadableData, readers
from messages_app.message_store.file_store import PathRefused, path_of, read_bytes
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.processing.taking import Taken
from messages_app.message_store.refusals import AttemptFailed
from messages_app.message_store.states import Status
from messages_app.web.json_body import strict_json
from messages_app.web.problems import Problem


def options_of(taken: Taken) -> Mapping[str, object]:
    """Return a message's options. Raises AttemptFailed: 22, they are no JSON object."""
    if taken.options is None or not taken.options.strip():
        return {}
    try:
        found = strict_json(taken.options)
    except Problem as problem:
        raise AttemptFailed(Status.MESSAGE_INVALID, [f"options: {problem.detail}"]) from None
    if not isinstance(found, dict):
        raise AttemptFailed(Status.MESSAGE_INVALID, ["options must be a JSON object."])
    return found


def rows_of(taken: Taken, definition: SourceDefinition, options: Mapping[str, object]) -> Iterator[object]:
    """
    Yield the rows of a message's data, one for each record.

    Raises:
        AttemptFailed: 25, they cannot be read.
        Exception: whatever a reader raises besides.
    """
    source = Source(
        identifier=taken.identifier, data=taken.data, path=_path(taken.file_path), options=options
    )
    if not definition.reader:
        yield from _read_json(source)
        return
    try:
        reader = readers.called(definition.reader)
        yield from reader(source)
    except (UnreadableData, UnknownExtension) as error:
        raise AttemptFailed(Status.DATA_INVALID, [str(error) or "The data cannot be read."]) from None


def _path(text: str | None) -> Path | None:
    if text is None:
        return None
    try:
        return path_of(text)
    except PathRefused as refusal:
        raise AttemptFailed(Status.DATA_INVALID, [f"file_path {refusal}"]) from None
    except OSError as error:
        raise AttemptFailed(Status.DATA_INVALID, [f"file_path: {error.strerror}."]) from None


def _read_json(source: Source) -> list[object]:
    """Read an array of JSON objects, from the message or its file."""
    text = _text(source)
    if text is None:
        raise AttemptFailed(Status.DATA_INVALID, ["The message has no data."])
    try:
        rows = strict_json(text)
    except Problem as problem:
        raise AttemptFailed(Status.DATA_INVALID, [f"data: {problem.detail}"]) from None
    if not isinstance(rows, list):
        raise AttemptFailed(Status.DATA_INVALID, ["data must be an array of JSON objects."])
    return rows


def _text(source: Source) -> str | None:
    if source.data is not None or source.path is None:
        return source.data
    try:
        return read_bytes(source.path).decode("utf-8-sig")
    except PathRefused as refusal:
        raise AttemptFailed(Status.DATA_INVALID, [f"The file {refusal}"]) from None
    except (OSError, UnicodeDecodeError):
        raise AttemptFailed(Status.DATA_INVALID, ["The file cannot be read as UTF-8."]) from None
