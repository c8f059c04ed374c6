"""Reading of files in a folder and its subfolders, and of their lines."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

# Subfolders deeper than this are not read.
MAX_LEVELS = 10

# Called with a folder that is skipped, and the reason.
OnLeftOut = Callable[[Path, str], None]


def files_below(folder: Path, suffixes: Collection[str], *, on_left_out: OnLeftOut) -> list[Path]:
    """
    Return the files with one of these suffixes in a folder and its subfolders, sorted by path.

    Names that begin with a dot are ignored. Symbolic links to folders are skipped, so that no loop and no
    file outside of the folder is read. Folders below MAX_LEVELS and unreadable folders are skipped too.
    """
    return sorted(_iterate_files(folder, frozenset(suffixes), on_left_out, MAX_LEVELS))


def _iterate_files(
    folder: Path, suffixes: frozenset[str], on_left_out: OnLeftOut, levels: int
) -> Iterator[Path]:
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        on_left_out(folder, f"cannot be read: {error.strerror}.")
        return
    for path in paths:
        if not path.is_dir():
            if path.suffix.lower() in suffixes:
                yield path
        elif path.is_symlink():
            on_left_out(path, "a link to a folder is not followed. Specify the folder itself.")
        elif levels == 0:
            on_left_out(path, f"more than {MAX_LEVELS} folders deep. Specify the folder itself.")
        else:
            yield from _iterate_files(path, suffixes, on_left_out, levels - 1)


MAX_LINE_BYTES = 20 * 1024 * 1024


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """
    Yield the number (from 1) and the bytes of each line that is not blank; None for a line over
    MAX_LINE_BYTES.
    """
    number = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                yield number, None
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE_BYTES)
            elif line.strip():
                yield number, line
