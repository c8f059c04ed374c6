"""The parts of `make test-slow`: each slow test is in one, and the nightly workflow runs each."""

import re
import subprocess
import sys

from tests.support.files import all_files
from tests.support.locks import ROOT
from tests.support.slow import SLOW, slow_parts

NIGHTLY = (ROOT / ".github/workflows/nightly.yml").read_text()


def test_every_file_is_in_one_part_of_slow_tests():
    parts = [part for part in slow_parts() if part.marker == SLOW]
    for _, path in all_files():
        owners = [
            part.name
            for part in parts
            if any(path == each or path.startswith(f"{each}/") for each in part.paths)
        ]
        assert len(owners) == 1, (path, owners)


def test_every_path_of_a_part_exists():
    missing = [path for part in slow_parts() for path in part.paths if not (ROOT / path).exists()]
    assert missing == []


def test_the_nightly_workflow_runs_every_part():
    (names,) = re.findall(r"^ +part: \[(.*)\]$", NIGHTLY, re.MULTILINE)
    assert names.split(", ") == [part.name for part in slow_parts()]
    assert "make test-slow PART=${{ matrix.part }}" in NIGHTLY


def test_an_unknown_part_is_refused_by_name():
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.slow"],
        cwd=ROOT,
        env={"PART": "fautls", "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("No part is called 'fautls'. The parts are faults, attached, jobs,")
