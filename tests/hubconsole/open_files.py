"""Find files below a directory that other users of the machine could reach."""

import os
import stat
from pathlib import Path


def open_to_others(home: Path) -> dict[str, str]:
    """
    Return what below `home`, and it itself, is open to group or others, with its mode in octal.

    A file that others may only execute counts as closed: Spark sets that bit on all fetched files.
    """
    found = {}
    for folder, _, files in os.walk(home):
        for path in (Path(folder), *(Path(folder) / name for name in files)):
            mode = path.lstat().st_mode
            open_bits = 0o077 if stat.S_ISDIR(mode) else 0o066
            if mode & open_bits and not stat.S_ISLNK(mode):
                found[str(path.relative_to(home))] = oct(mode & 0o777)
    return found
