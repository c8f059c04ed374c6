"""Every citation in code, tests, SQL and pages leads to a file and heading of the repository."""

import pytest

from tests.docs.citations import ROOT, faults_of, files, prose, sources_in

_QUEUE = "docs/contributing/spec/cp_queue.md"
_PROMISES = "docs/contributing/spec/promises.md"
_HUB = "docs/contributing/spec/cleverbus.md"


def test_every_citation_leads_to_an_existing_heading():
    faults, sources = [], 0
    for path in files():
        place = str(path.relative_to(ROOT))
        for text in prose(path):
            faults += faults_of(text, place=place)
            sources += sources_in(text)
    assert not faults, "\n".join(["", *map(str, faults)])
    assert sources > 300  # else most of the files were not found


class TestFaults:
    """Each kind of fault, planted."""

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ('Source: docs/contributing/spec/queue.md, "Pickup".', "no such file"),
            (f'Source: {_QUEUE}, "Picking up".', '0 headings "Picking up"'),
            (f'Source: {_QUEUE}, "Pickup", "Picking up".', '0 headings "Picking up"'),
            (f'Source: {_QUEUE}, "Hard cases" cases 22 and 99.', "no [99]"),
            ("Source: docs/contributing/spec/promises.md, I-28, I-999.", "no item I-999"),
            ("Source: docs/contributing/spec/promises.md, I-28 to I-999.", "no item I-999"),
            ("Too many are refused (docs/contributing/spec/bad_input.md, J99).", "no item J99"),
            ("It is fenced (I-28).", "names no file"),
            ("Passwords are short (D49).", "names no file"),
            ("Source: reliability S-4.", "names no file"),
            ("Source: the vendor's page.", "has more than citations"),
            ("Source: 2.5 and 2.9.", "has more than citations"),
            ("Source: docs/reference/archive.md; the vendor's page.", "has more than citations"),
            ("Source: docs/reference/archive.md and 2.5.", "has more than citations"),
            ("Source: spec/cleverbus.md 2.5.", "is not in the repository"),
            ("See DESIGN.md, rule 4.", "is not in the repository"),
            ("Why: docs/contributing/decisions/0007.", "is not in the repository"),
            ("It is checked (moving/liberties.py).", "is not in the repository"),
            ("The same as unknown_values.py, but in one statement.", "is not in the repository"),
        ],
    )
    def test_are_found(self, text, reason):
        faults = list(faults_of(text, place="messages_app/models.py"))
        assert any(reason in fault.reason for fault in faults), faults

    @pytest.mark.parametrize(
        "text",
        [
            f'Source: {_QUEUE}, "Pickup", "Hard cases" cases 1 and 2; {_PROMISES}, I-46 to I-52.',
            f'Source: {_HUB}, "Retries" (if due), "Restart and cancel" points 3 and 4.',
            "It is fenced (docs/contributing/spec/promises.md, I-28).",
            "Source: RFC 9110, 13.",
            "Why: docs/reference/archive.md.",
            "The counted states: shared/message_states.py. The statement is pick.sql.",
        ],
    )
    def test_are_not_found_in_correct_citations(self, text):
        assert list(faults_of(text, place="messages_app/models.py")) == []

    def test_are_found_of_a_row_that_a_test_names(self):
        assert [fault.reason for fault in faults_of("J99", place="tests/test_jobs.py")] == ["no such row"]
        assert list(faults_of("J62", place="tests/test_jobs.py")) == []


class TestProse:
    def test_joins_lines_of_docstrings_and_comments(self, tmp_path):
        file = tmp_path / "module.py"
        file.write_text('"""Source: docs/a.md,\n"B".\n"""\nX = "S-1"  # one\n# Source:\n# docs/c.md\n')
        assert list(filter(None, prose(file))) == ['Source: docs/a.md, "B".', "one", "Source: docs/c.md"]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("a.sql", "-- Source:\n-- docs/a.md\nSELECT 1"),
            ("a.js", "// Source:\n// docs/a.md\nlet x"),
            ("a.css", "/* Source:\n * docs/a.md */ a {}"),
            ("a.html", "<p>{# Source: docs/a.md #}</p>"),
            ("a.md", "```\nS-1\n```\nSource: docs/a.md"),
        ],
    )
    def test_reads_the_comments_of_other_files(self, tmp_path, name, text):
        (tmp_path / name).write_text(text)
        assert [part.strip() for part in prose(tmp_path / name)] == ["Source: docs/a.md"]
