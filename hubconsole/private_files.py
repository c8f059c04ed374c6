"""Protects the console's files from other users of the machine by the umask and the modes of its home."""

import os
from pathlib import Path

# Only for root's home: PostgreSQL runs as another user and must reach its own directory.
_PASSABLE = 0o711
_OTHERS = 0o077
# Read and write access, which passing through does not need.
_CONTENTS = 0o066


def make_home(home: Path) -> None:
    """Create the home if it is missing, closed to other users except, for root, to pass through."""
    try:
        home.mkdir(parents=True)
    except FileExistsError:
        home.mkdir(exist_ok=True)  # Raises an error if it is not a directory.
        return
    if os.geteuid() == 0 and not os.environ.get("DATABASE_URL"):
        home.chmod(_PASSABLE)


def close_home(home: Path) -> None:
    """Remove the access that an older version gave other users to this home."""
    mask = os.umask(0)
    os.umask(mask)
    _take_rights_away(home, _CONTENTS & mask)
    for path in home.iterdir():
        # These folders protect their contents.
        if not path.is_symlink():
            _take_rights_away(path, _CONTENTS & mask if path.name == "postgres" else _OTHERS & mask)


def _take_rights_away(path: Path, bits: int) -> None:
    status = path.stat()
    if status.st_mode & bits and status.st_uid == os.geteuid():
        path.chmod(status.st_mode & 0o7777 & ~bits)
