"""
A folder that is emptied as its files are taken: each is moved away when all of it is stored.

A run may die after it stored a file and before it moved it, and a file may be taken while somebody still
writes it. So a message that names no identifier gets one that the next run finds again: by the file, the
line, and what stands there. A file of the same name that comes later is another one, also where it says the
same.
"""

import hashlib
import os
import shutil
import uuid
from pathlib import Path

_NAMESPACE = uuid.UUID("b2c5e9c4-0a4e-5f0b-8d0e-6f5d2b7a9e31")


def identifier_of(file: Path, number: int, raw: bytes) -> str:
    """Return the identifier of what a line holds (0: the whole file). Raises OSError: the file is gone."""
    found = file.stat()
    content = hashlib.sha256(raw.strip()).hexdigest()
    return str(uuid.uuid5(_NAMESPACE, f"{found.st_dev}:{found.st_ino}:{file.name}:{number}:{content}"))


def move(file: Path, to: Path) -> None:
    """Move a file into a folder, past others of its name; one that somebody has moved already is no error."""
    target, number = to / file.name, 0
    while os.path.lexists(target):  # a link that leads nowhere too: it would be written through
        number += 1
        target = to / f"{file.stem}.{number}{file.suffix}"
    try:
        shutil.move(file, target)
    except FileNotFoundError:
        return
