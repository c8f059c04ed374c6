"""Keeps what the console writes from other users of the machine: by the umask and the modes of its home."""

import os
from pathlib import Path

# A home that root made: PostgreSQL runs as another user, and has to pass through to its own directory.
_PASSABLE = 0o711
_OTHERS = 0o077
# Reading and writing, which no one needs who only passes through.
_CONTENTS = 0o066


def make_home(home: Path) -> None:
    """Make the home where there is none: closed to other users, or only to be passed through."""
    try:
        home.mkdir(parents=True)
    except FileExistsError:
        home.mkdir(exist_ok=True)  # raises where it is not a directory
        return
    if os.geteuid() == 0 and not os.environ.get("DATABASE_URL"):
        home.chmod(_PASSABLE)


def close_home(home: Path) -> None:
    """Take from other users what an older version gave them in this home."""
    mask = os.umask(0)
    os.umask(mask)
    _take(home, _CONTENTS & mask)
    for path in home.iterdir():
        # Whatever is within these is behind them.
        if not path.is_symlink():
            _take(path, _CONTENTS & mask if path.name == "postgres" else _OTHERS & mask)


def _take(path: Path, bits: int) -> None:
    found = path.stat()
    if found.st_mode & bits and found.st_uid == os.geteuid():
        path.chmod(found.st_mode & 0o7777 & ~bits)
