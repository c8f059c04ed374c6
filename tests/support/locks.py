"""The locks that everything is installed from, read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# A line of a lock, of which `;` begins the condition and `\\` the hashes.
LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


def locked_versions(path: Path) -> set[tuple[str, str]]:
    """Return what a lock has as (name, version); a name may have several, for one Python each."""
    return {(name_of(name), version) for name, version in LOCKED.findall(path.read_text())}


def name_of(name: str) -> str:
    """Return a package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
