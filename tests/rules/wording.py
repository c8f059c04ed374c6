"""
Searches the prose of the repository for wording to avoid; a part of `make check`.

Prose is in pages, templates, strings, comments, names of tests, configuration files and the subjects of the
last commits. Each folder has a limit, and limits only fall. `python -m tests.rules.wording docs` prints the
lines of a folder or file.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.rules.prose import KINDS, notes, shown
from tests.rules.words import found_in

ROOT = Path(__file__).resolve().parent.parent.parent

# Lower a limit when a folder has less. Folders that are not named have none.
LIMITS = {
    "benchmarks": 0,
    "client": 0,
    "docs": 0,
    "hubconsole": 0,
    "messages_app": 0,
    "spark_tasks": 0,
    "static": 0,
    "templates": 0,
    "tests": 1,
}

# Why a file is not searched.
LEFT_OUT = {
    "docs/contributing/style.md": "it quotes what to avoid",
    "tests/rules": "the patterns and their examples",
    "tests/docs/citations.py": "expressions that find citations",
}
# Files outside the folders, and configuration in them. The lines of other .txt and .toml files are data.
_CONFIGURATION = (
    "Makefile",
    "pyproject.toml",
    "requirements*.txt",
    ".pre-commit-config.yaml",
    ".ci/*",
    ".github/**/*.yml",
    "deploy/*",
    "benchmarks/*.toml",
    "messages_app/**/*.toml",
)
COMMITS = "commits"
# Subjects of older commits stay as they are.
_LAST_COMMITS = 30
_FOLDERS = (
    "benchmarks",
    "client",
    "docs",
    "hubconsole",
    "messages_app",
    "spark_tasks",
    "static",
    "templates",
    "tests",
)


def files() -> Iterator[Path]:
    """Yield each file that has prose: pages at the top, configuration, and all below the folders."""
    yield from sorted(ROOT.glob("*.md"))
    for pattern in _CONFIGURATION:
        yield from (path for path in sorted(ROOT.glob(pattern)) if path.is_file())
    for folder in _FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS)


def faults() -> Iterator[tuple[str, str]]:
    """Yield the path of a file and a line of its prose with what to write instead."""
    for path in files():
        name = str(path.relative_to(ROOT))
        if not name.startswith(tuple(LEFT_OUT)):
            text = path.read_text(encoding="utf-8")
            yield from ((name, fault) for fault in found_in(shown(path, text) + notes(path, text)))
    yield from ((COMMITS, fault) for fault in found_in(commit_subjects()))


def commit_subjects() -> list[str]:
    """Return the subjects of the last commits; none in a copy of the files without their history."""
    if not (ROOT / ".git").exists():
        return []
    log = ["git", "-C", str(ROOT), "log", f"-{_LAST_COMMITS}", "--no-merges", "--format=%s"]
    return subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()


def folder_of(name: str) -> str:
    """Return the first folder of a path, or the path of a file at the top."""
    return name.split("/")[0]


def over_limits(counts: Counter[str]) -> list[str]:
    """Return a line for each folder that has more than its limit allows."""
    return [
        f"{folder} has {count} lines of wording to avoid, {LIMITS.get(folder, 0)} are allowed:"
        f" .venv/bin/python -m tests.rules.wording {folder}"
        for folder, count in sorted(counts.items())
        if count > LIMITS.get(folder, 0)
    ]


def main(places: list[str]) -> int:
    """Write the lines of the given places, or how many each folder has; return 1 if any has too many."""
    found = list(faults())
    counts = Counter(folder_of(name) for name, _ in found)
    lines = [f"{name}: {fault}" for name, fault in found if places and name.startswith(tuple(places))]
    if not places:
        lines = ["Wording to avoid: " + ", ".join(f"{folder} {counts[folder]}" for folder in _FOLDERS)]
    problems = over_limits(counts)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stderr.writelines(f"{line}\n" for line in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
