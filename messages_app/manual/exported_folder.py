"""
Writes an export of the manual to a folder, as a whole or not at all.

The files are written next to the folder, which they then replace. A list of them is in the folder, so a later
export replaces exactly these, and never a file of others.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

LIST = "files-of-the-export.txt"
_MAX_NAMED = 3


class NotWritten(Exception):
    """The folder is not one that an export may replace, or it cannot be written; the text names it."""


def replace_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """
    Write files to a folder in place of an earlier export, and return their number.

    Raises:
        NotWritten: nothing has changed.
    """
    try:
        # Of a link, the folder that it leads to is replaced.
        folder = folder.resolve()
        _refuse_others(folder)
        with _let_others_read(), _make_draft(folder) as draft:
            names = sorted(_write_files(draft, files))
            (draft / LIST).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
            _swap_folders(draft, folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other.
        raise NotWritten(f"{folder} cannot be written: {error}") from None
    return len(names)


def _refuse_others(folder: Path) -> None:
    """Refuse a folder with files that are not of an export."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise NotWritten(f"{folder} is not a folder.")
    if not any(folder.iterdir()):
        return
    # Asked first, because a folder of others, such as /, may have millions of files.
    if not (folder / LIST).is_file():
        raise NotWritten(f"{folder} is not empty and not an earlier export. Choose another folder.")
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    listed = {LIST, *(folder / LIST).read_text(encoding="utf-8", errors="replace").splitlines()}
    if others := sorted(present - listed):
        named = ", ".join(others[:_MAX_NAMED]) + (", …" if len(others) > _MAX_NAMED else "")
        raise NotWritten(f"{folder} has files that are not of an export, which would be lost: {named}.")


@contextlib.contextmanager
def _make_draft(folder: Path) -> Iterator[Path]:
    """Give an empty folder next to another one. Remove it if it is still there in the end."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        draft.chmod(0o755)
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextlib.contextmanager
def _let_others_read() -> Iterator[None]:
    """Make files that a web server can read as another user. Other files of the console are private."""
    mask = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(mask)


def _write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        yield name


def _swap_folders(draft: Path, folder: Path) -> None:
    """Put a draft in the place of a folder, which then has the draft's name."""
    if not folder.exists() or not any(folder.iterdir()):
        draft.rename(folder)
        return
    earlier = draft.with_name(f"{draft.name}-earlier")
    folder.rename(earlier)
    try:
        draft.rename(folder)
    except OSError:
        earlier.rename(folder)
        raise
    shutil.rmtree(earlier, ignore_errors=True)
