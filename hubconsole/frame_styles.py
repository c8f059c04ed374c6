"""
The styles of every page: parts by component in static/css/frame/, sent as one file.

A browser asks for one file instead of twenty. The parts follow one another in the order of PARTS, because a
later rule wins over an equally specific one.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

FRAME = "css/frame.css"
PARTS = (
    *(
        "reset",
        "icons",
        "sign",
        "buttons",
        "page",
        "menu",
        "menus",
        "fields",
        "badges",
        "note",
        "remarks",
        "masking",
        "panel",
        "facts",
        "columns",
    ),
    *(
        "tabs",
        "table",
        "table_narrow",
        "toolbar",
        "bars",
        "charts",
        "request",
        "empty_state",
        "pager",
        "bare",
    ),
    *("utilities", "terms", "dialog", "keys", "find", "copy", "session", "connection"),
)


class FrameStyles(BaseFinder):
    """Finds this file, which it writes to STATIC_ROOT if its parts have changed."""

    def check(self, **kwargs: object) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: object) -> Any:
        paths = [str(write_frame_styles())] if path == FRAME else []
        return paths if find_all else "".join(paths) or None

    def list(self, ignore_patterns: object) -> Iterator[tuple[str, FileSystemStorage]]:
        write_frame_styles()
        yield FRAME, FileSystemStorage(location=settings.STATIC_ROOT)


def write_frame_styles() -> Path:
    """Write the parts to one file, as old as the newest of them, and return its path."""
    folder = Path(settings.BASE_DIR, "static/css")
    parts = [folder / "tokens.css", *(folder / f"frame/{part}.css" for part in PARTS)]
    text = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    target = Path(settings.STATIC_ROOT, FRAME)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Another process may read the file meanwhile. The umask decides who can read it.
        draft = target.with_suffix(f".{os.getpid()}")
        draft.write_text(text, encoding="utf-8")
        newest = max(part.stat().st_mtime for part in parts)
        os.utime(draft, (newest, newest))
        draft.replace(target)
    return target
