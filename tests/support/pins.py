"""
`make pins`: raises the pins of the requirements to the newest versions.

A version stays within the range of pyproject.toml or, for packages of the tests, below the next major one.
All must fit together: uv resolves them in one step. The locks follow by `make lock`, and `.ci/run` is the
judge.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

from tests.support.locks import LOCKED, ROOT, name_of

FILES = ("requirements.txt", "requirements-test.txt")
PIN = re.compile(r"^(?P<name>[\w.-]+)(?P<extras>\[[\w,]+\])?==(?P<version>\S+)", re.MULTILINE)
RESOLVE = (".venv/bin/uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "-")


def main() -> int:
    texts = {name: (ROOT / name).read_text() for name in FILES}
    ranges = read_ranges((ROOT / "pyproject.toml").read_text())
    wanted = list(chain.from_iterable(list_ranges(text, ranges) for text in texts.values()))
    answer = subprocess.run(
        RESOLVE, cwd=ROOT, input="\n".join(wanted), capture_output=True, text=True, check=True
    )
    newest = {name_of(name): version for name, version in LOCKED.findall(answer.stdout)}
    for name, text in texts.items():
        raised = raise_pins(text, newest)
        for before, after in zip(PIN.finditer(text), PIN.finditer(raised), strict=True):
            if before["version"] != after["version"]:
                sys.stdout.write(f"{before['name']} {before['version']} -> {after['version']}\n")
        Path(ROOT / name).write_text(raised)
    return 0


def read_ranges(pyproject: str) -> dict[str, str]:
    """Return the range of each package that pyproject.toml names."""
    project = tomllib.loads(pyproject)["project"]
    lines = chain(project["dependencies"], *project["optional-dependencies"].values())
    requirements = map(Requirement, lines)
    return {name_of(requirement.name): str(requirement.specifier) for requirement in requirements}


def list_ranges(text: str, ranges: Mapping[str, str]) -> list[str]:
    """Return a line with the allowed range for each pin of a file."""
    return [
        f"{pin['name']}{pin['extras'] or ''}{ranges.get(name_of(pin['name'])) or _line_of(pin['version'])}"
        for pin in PIN.finditer(text)
    ]


def raise_pins(text: str, newest: Mapping[str, str]) -> str:
    """Return a file of pins with these versions; reasons and packages without one stay."""
    return PIN.sub(
        lambda pin: f"{pin['name']}{pin['extras'] or ''}=={newest.get(name_of(pin['name']), pin['version'])}",
        text,
    )


def _line_of(version: str) -> str:
    major = version.partition(".")[0]
    return f">={version},<{int(major) + 1}"


if __name__ == "__main__":
    sys.exit(main())
