"""
Finds lines that are too long in templates, scripts, styles and documentation; a part of `make check`.

djade and deno leave HTML, texts and comments as long as they are, and no program formats the documentation.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 120
FOLDERS = ("docs", "templates", "static", "tests/invented_store/templates")
KINDS = {".html", ".js", ".css", ".md"}
_FENCE = "```"


def files() -> Iterator[Path]:
    """Yield each template, script, style and page of documentation."""
    yield from ROOT.glob("README.md")
    for folder in FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS)


def long_lines() -> Iterator[str]:
    """Yield the place and the length of each line over the limit."""
    for path in files():
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(_blank_unbreakable(lines) if path.suffix == ".md" else lines, start=1):
            if len(line) > LIMIT:
                yield f"{path.relative_to(ROOT)}:{number} has {len(line)} characters, {LIMIT} are allowed"


def _blank_unbreakable(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of Markdown; empty ones for rows of tables, blocks of code, and single words."""
    is_code = False
    for line in lines:
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
        text = line.strip()
        yield "" if is_code or text.startswith("|") or " " not in text else line


def main() -> int:
    """Write the lines that are too long; return 1 if there are any."""
    found = list(long_lines())
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
