"""
The file store: files that messages name by file_path, inside one folder and nowhere else.

Source: docs/contributing/spec/message_store.md, "Tables" (file_path, relative to the file store).
"""

from pathlib import Path, PurePosixPath

from django.conf import settings

from messages_app.message_store.models import MAX_PATH


class PathRefused(Exception):
    """The path leads out of the file store, or is not one."""


def check_path(text: str) -> str:
    """
    Return a path as it is stored, without looking for its file.

    Raises:
        PathRefused: absolute, with "..", a backslash or a NUL, empty or too long.
    """
    path = PurePosixPath(text)
    if not text or len(text) > MAX_PATH or "\0" in text or "\\" in text:
        raise PathRefused(f"must be 1 to {MAX_PATH} characters, with / between folders.")
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        raise PathRefused("must be relative to the file store and stay inside it.")
    return text


def path_of(text: str) -> Path:
    """
    Return the file of a stored path.

    Raises:
        PathRefused: it leads out of the store, also by a symbolic link, or is not a regular file.
        OSError: it cannot be checked.
    """
    root = Path(settings.MESSAGE_STORE_FILES).resolve()
    # Links are followed first, because only their targets count.
    path = (root / check_path(text)).resolve()
    if not path.is_relative_to(root):
        raise PathRefused("must be relative to the file store and stay inside it.")
    if not path.is_file():
        raise PathRefused("does not name a file in the file store.")
    return path


def read_bytes(path: Path) -> bytes:
    """Return a file's content. Raises PathRefused: it is too large to be one message."""
    limit = settings.MESSAGE_STORE_FILE_BYTES
    with path.open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise PathRefused(f"has more than {limit} bytes.")
    return content
