"""The catalogue of bad input, row by row: every input gets its stated answer, and none a 500."""

from pathlib import Path

import pytest

from tests.bad_input import filters, history, jobs, pages, payloads, queue, rest, tools
from tests.bad_input.cases import Section
from tests.bad_input.scene import Scene

SECTIONS = {
    "rest": rest.SECTION,
    "pages": pages.SECTION,
    "payloads": payloads.SECTION,
    "filters": filters.SECTION,
    "jobs": jobs.SECTION,
    "queue": queue.SECTION,
    "history": history.SECTION,
    "tools": tools.SECTION,
}
TESTS = Path(__file__).parent.parent


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
class TestCatalogue:
    @pytest.mark.django_db
    def test_gets_the_answer_that_it_states(self, section: Section):
        scene = Scene()
        faults = [
            f"{case.row} {case.call[:80]}: {fault}" for case in section.cases for fault in scene.faults(case)
        ]
        assert not faults, "\n".join([f"{len(faults)} wrong answers", *faults])

    def test_has_every_row(self, section: Section):
        assert section.covered == section.rows

    def test_names_tests_that_exist(self, section: Section):
        for row, place in section.elsewhere.items():
            file, _, name = place.partition("::")
            text = (TESTS / file).read_text()
            assert all(f"{part}" in text for part in name.split("::")), (row, place)
