import pytest

from messages_app.core.problems import Problem
from messages_app.messages.corrections.payloads import check_payload, restore_line_ends


class TestCheckPayload:
    def test_names_the_field_the_fault_and_its_place(self):
        with pytest.raises(Problem) as problem:
            check_payload("<a>\n<b></a>", before="<a>1</a>")
        assert problem.value.status == 400
        (error,) = problem.value.errors
        assert (error.field, error.code) == ("payload", "not_well_formed")
        assert "line 2" in error.message

    def test_accepts_a_correction(self):
        check_payload("<a>2</a>", before="<a>1</a>")


class TestRestoreLineEnds:
    @pytest.mark.parametrize(
        ("before", "edited", "restored"),
        [
            ("a\nb", "a\r\nc", "a\nc"),
            ("a\r\nb", "a\r\nc", "a\r\nc"),
            ("a\r\nb", "a\nc\nd", "a\r\nc\r\nd"),
            ("a\rb", "a\r\nb", "a\rb"),
            ("a", "a\r\nb", "a\nb"),
            ("a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd", "a\nb\r\nc\rd"),
            ("a\nb\r\nc\nd", "a\r\nx\r\nb\r\nc\r\nd", "a\nx\nb\r\nc\nd"),
            ("a\n", "a\r\n", "a\n"),
            ("", "", ""),
        ],
    )
    def test_gives_unchanged_lines_their_own_ends(self, before, edited, restored):
        assert restore_line_ends(edited, before=before) == restored
