"""The page of the catalogue of bad input, compared with the rows that the tests send."""

import re

import pytest

from tests.bad_input.cases import Section
from tests.bad_input.test_catalogue import SECTIONS
from tests.docs.citations import ROOT

_ROW = re.compile(r"^\| ([A-Z]+\d\d) \| .* \| ([^|]*) \|$", re.MULTILINE)
_ANSWERS = dict(_ROW.findall((ROOT / "docs/contributing/spec/bad_input.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
class TestPage:
    def test_has_the_same_rows_as_the_tests(self, section: Section):
        assert {row for row in _ANSWERS if row.rstrip("0123456789") == section.prefix} == section.rows

    def test_shows_what_is_not_offered(self, section: Section):
        said = {row for row in section.rows if _ANSWERS[row] == "not offered"}
        assert said == set(section.not_offered)

    def test_has_the_codes_that_the_tests_expect(self, section: Section):
        expected = {(one.row, one.code) for one in section.cases if re.fullmatch("[a-z_]+", one.code)}
        sent = {row for row, _ in expected}
        said = {(row, code) for row in sent for code in re.findall(r"\d{3} `([a-z_]+)`", _ANSWERS[row])}
        assert said == expected
