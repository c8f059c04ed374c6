"""The files of a folder that someone names, with those of the folders in it."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

# A folder this far below the one that was named is not entered.
MOST_LEVELS = 10

# Called with a folder that is left out, and why.
OnLeftOut = Callable[[Path, str], None]


def files_below(folder: Path, suffixes: Collection[str], *, on_left_out: OnLeftOut) -> list[Path]:
    """
    Return the files with one of these suffixes in a folder and in the folders in it, sorted by path.

    Names that begin with a dot are passed over. A folder that is a symbolic link is left out, so that no
    loop of links is entered and nothing outside is read; so are folders below MOST_LEVELS, and the ones that
    cannot be read.
    """
    return sorted(_files(folder, frozenset(suffixes), on_left_out, MOST_LEVELS))


def _files(folder: Path, suffixes: frozenset[str], on_left_out: OnLeftOut, levels: int) -> Iterator[Path]:
    try:
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        on_left_out(folder, f"cannot be read: {error.strerror}.")
        return
    for path in found:
        if not path.is_dir():
            if path.suffix.lower() in suffixes:
                yield path
        elif path.is_symlink():
            on_left_out(path, "a link to a folder is not followed. Specify the folder itself.")
        elif levels == 0:
            on_left_out(path, f"more than {MOST_LEVELS} folders deep. Specify the folder itself.")
        else:
            yield from _files(path, suffixes, on_left_out, levels - 1)


# The lines of a file that may hold anything, one in memory at a time.


MAX_LINE_BYTES = 20 * 1024 * 1024


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield number (from 1) and bytes of each line that is not blank; None for one above MAX_LINE_BYTES."""
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
