"""The digest of the templates, styles and scripts whose pages the pictures show."""

import hashlib
from pathlib import Path

_RECORD = "tests/pictures/shown_pages.sha256"
_SOURCES = ("templates", "static")
# The pictures do not show the manual, in which they are.
_LEFT_OUT = "manual"


def record_shown_pages(repository: Path) -> None:
    """Note that the pictures show the pages of this repository as they are now."""
    (repository / _RECORD).write_text(f"{_digest_pages(repository)}\n")


def has_current_pictures(repository: Path) -> bool:
    """Return whether the pictures were taken from the pages as they are."""
    record = repository / _RECORD
    return record.exists() and record.read_text().strip() == _digest_pages(repository)


def _digest_pages(repository: Path) -> str:
    paths = [path for folder in _SOURCES for path in (repository / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(paths):
        name = path.relative_to(repository).as_posix()
        if _LEFT_OUT not in name:
            digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
