"""The locks that everything is installed from, read."""

import re
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).resolve().parent.parent.parent
# A line of a lock, of which `;` begins the condition and `\\` the hashes.
LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_WITH_CONDITION = re.compile(r"^([\w.-]+)==[^\s;]+(?: *; *([^\\\n]+?))? *\\?$", re.MULTILINE)
HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


def locked_versions(path: Path) -> set[tuple[str, str]]:
    """Return what a lock has as (name, version); a name may have several, for one Python each."""
    return {(name_of(name), version) for name, version in LOCKED.findall(path.read_text())}


def names_here(path: Path) -> set[str]:
    """Return the names of the packages that a lock has for this Python on this system."""
    lines = _WITH_CONDITION.findall(path.read_text())
    return {name_of(name) for name, condition in lines if not condition or Marker(condition).evaluate()}


def locked_hashes(path: Path) -> dict[tuple[str, str], set[str]]:
    """Return the hashes of the files of each package of a lock, by (name, version)."""
    _, *parts = LOCKED.split(path.read_text())
    packages = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return {(name_of(name), version): set(HASH.findall(rest)) for name, version, rest in packages}


def name_of(name: str) -> str:
    """Return a package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
