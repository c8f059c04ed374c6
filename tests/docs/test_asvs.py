"""The table of security requirements is complete, and names only files and tests that exist."""

import re
from collections import Counter

from tests.support.locks import ROOT

PAGE = (ROOT / "docs/contributing/spec/asvs.md").read_text()
ROW = re.compile(r"^\| (V\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
# Requirements of levels 1 and 2 of each chapter of ASVS 5.0.0.
NUMBERS = {
    "V1": 27,
    "V2": 11,
    "V3": 19,
    "V4": 10,
    "V5": 9,
    "V6": 35,
    "V7": 18,
    "V8": 7,
    "V9": 7,
    "V10": 29,
    "V11": 14,
    "V12": 9,
    "V13": 13,
    "V14": 9,
    "V15": 13,
    "V16": 16,
    "V17": 7,
}
NAMED = re.compile(r"`([\w.@/-]+/[\w.@/-]+)(?:::(\w+))?`")
TEST = re.compile(r"`tests/[^`]+`")
# Requirements that are not met, or not tested, without a good reason. Each is a decision for someone.
OPEN: set[str] = set()


class TestTable:
    def test_has_each_requirement_once_in_order(self):
        ids = [number for number, *_ in ROWS]
        assert Counter(number.partition(".")[0] for number in ids) == NUMBERS
        parts = [tuple(map(int, number[1:].split("."))) for number in ids]
        assert parts == sorted(set(parts))

    def test_has_a_test_or_a_reason_in_each_row(self):
        assert [number for number, _, _, proof in ROWS if not is_proof(proof)] == []

    def test_names_only_files_and_tests_that_exist(self):
        assert find_missing(PAGE) == []

    def test_marks_exactly_the_open_requirements(self):
        assert {number for number, *_, proof in ROWS if "**Open**:" in proof} == OPEN


class TestFindMissing:
    def test_names_a_missing_file_and_a_missing_test(self):
        text = (
            "`tests/no/file.py`, `tests/docs/test_asvs.py::TestNothing`, `tests/docs/test_asvs.py::TestTable`"
        )
        assert find_missing(text) == ["tests/no/file.py", "tests/docs/test_asvs.py::TestNothing"]


def is_proof(text: str) -> bool:
    return bool(TEST.search(text)) or text.startswith(("reason: ", "**Open**: "))


def find_missing(text: str) -> list[str]:
    """Return the files and tests in backquotes that do not exist."""
    missing = []
    for path, name in NAMED.findall(text):
        file = ROOT / path
        if not file.exists():
            missing.append(path)
        elif name and not re.search(rf"^class {name}\b", file.read_text(), re.MULTILINE):
            missing.append(f"{path}::{name}")
    return missing
