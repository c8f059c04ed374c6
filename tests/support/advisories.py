"""
`make advisories`: asks a list of known vulnerabilities about every package of a lock, by pip-audit.

Ends with 0 where no package is on the list, 1 where one is, and 2 where the list has not answered for all of
them. The lock comes first, then what pip-audit takes.

Source: docs/contributing/spec/promises.md, S-2.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from tests.support.locks import locked_versions

# A list that does not know this one would call everything safe: it is empty, or of another kind, or too old.
KNOWN, KNOWN_AS, KNOWN_SINCE = {"django": "5.2.7"}, "CVE-2025-64459", "November 2025"
AUDIT = (sys.executable, "-m", "pip_audit", "--vulnerability-service", "osv", "--progress-spinner", "off")
# All versions are named, so pip has nothing to find out. These are last, so that they win.
OF_OURS = ("--no-deps", "--disable-pip", "--format", "json", "--output", "stdout", "--requirement")
NONE, SOME, UNANSWERED = range(3)


class Unanswered(Exception):
    """Nothing is known of the packages, or not of all."""


def main(arguments: list[str]) -> int:
    lock, *options = arguments
    try:
        packages = _packages(Path(lock))
        _check_list(options)
        named = sorted(line for some in _rounds(packages) for line in _named(some, options))
    except Unanswered as error:
        sys.stderr.write(f"Whether a package is known to be unsafe could not be found out: {error}\n")
        return UNANSWERED
    if named:
        sys.stdout.write("\n".join(["Known to be unsafe:", *named, ""]))
        return SOME
    sys.stdout.write(f"None of the {len(packages)} packages of {lock} is known to be unsafe.\n")
    return NONE


def _packages(lock: Path) -> set[tuple[str, str]]:
    packages = locked_versions(lock) if lock.is_file() else set()
    if not packages:
        raise Unanswered(f"{lock} names no package.")
    return packages


def _check_list(options: list[str]) -> None:
    if not list(_named(KNOWN, options)):
        (package,) = KNOWN.items()
        known = f"{' '.join(package)} ({KNOWN_AS})"
        raise Unanswered(f"the list does not name {known}, so it is empty or older than {KNOWN_SINCE}.")


def _rounds(packages: set[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """Yield all packages so that none is there twice: pip-audit takes one version of each at a time."""
    versions = defaultdict(list)
    for name, version in sorted(packages):
        versions[name].append(version)
    for some in zip_longest(*versions.values()):
        yield {name: version for name, version in zip(versions, some, strict=True) if version}


def _named(packages: Mapping[str, str], options: list[str]) -> Iterator[str]:
    """Yield a line for each vulnerability of the packages."""
    for answer in _answers(packages, options):
        for one in answer["vulns"]:
            also = f" ({', '.join(sorted(one['aliases']))})" if one["aliases"] else ""
            closed = ", ".join(one["fix_versions"]) or "no version yet"
            yield f"  {answer['name']} {answer['version']}: {one['id']}{also}, closed by {closed}"


def _answers(packages: Mapping[str, str], options: list[str]) -> list[dict]:
    """
    Return what pip-audit reports for each package.

    Raises:
        No answer: pip-audit exits with 1 both then and for findings; or an incomplete one.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as asked:
        asked.write("".join(f"{name}=={version}\n" for name, version in packages.items()))
        asked.flush()
        run = subprocess.run([*AUDIT, *options, *OF_OURS, asked.name], capture_output=True, text=True)
    try:
        answers = json.loads(run.stdout)["dependencies"]
    except (ValueError, KeyError):
        raise Unanswered((run.stderr.strip() or "no answer").splitlines()[-1]) from None
    missing = packages.keys() - {answer["name"] for answer in answers if "vulns" in answer}
    if missing:
        raise Unanswered(f"the list has no answer for {', '.join(sorted(missing))}.")
    return answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
