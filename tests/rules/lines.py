"""
Finds lines that are too long in templates, scripts and styles; a part of `make check`.

djade and deno, which format them, leave HTML, texts and comments as long as they are.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 120
FOLDERS = ("templates", "static", "tests/invented_store/templates")
KINDS = {".html", ".js", ".css"}


def files() -> Iterator[Path]:
    """Yield each template, script and style of the repository."""
    for folder in FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS)


def long_lines() -> Iterator[str]:
    """Yield the place and the length of each line over the limit."""
    for path in files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if len(line) > LIMIT:
                yield f"{path.relative_to(ROOT)}:{number} has {len(line)} characters, {LIMIT} are allowed"


def main() -> int:
    """Write the lines that are too long; return 1 if there are any."""
    found = list(long_lines())
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
