import pytest
from django.http import QueryDict

from messages_app.core.problems import FieldError
from messages_app.core.query_language import form
from messages_app.core.query_language.parser import LineError
from messages_app.messages.filters.vocabulary import VOCABULARY


def line_of(query: str, *errors: FieldError) -> form.LineForm:
    params = QueryDict(query)
    return form.make_line_form(params, VOCABULARY, errors)


class TestTyped:
    def test_marks_the_place_of_an_error(self):
        (marked,) = form.typed_line("a:1 b:2 c:3", [LineError(start=4, end=7, message="No b.")]).errors
        assert (marked.before, marked.marked, marked.after, marked.message) == (
            "a:1 ",
            "b:2",
            " c:3",
            "No b.",
        )


class TestOfAddress:
    def test_has_its_filters_in_words(self):
        line = line_of("state=FAILED,OK&service_name=a+b&receive_timestamp_from=-2h&ordering=msg_id&cursor=c")
        assert line.text == 'state:FAILED,OK service:"a b" received:>-2h'
        assert line.words == ["State: FAILED, OK", "Service: a b", "Received in the last 2 h"]

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            ("archived=true", "In the archive"),
            ("msg_id=5,6", "Message id: 5, 6"),
            (
                f"msg_id={','.join(map(str, range(1, 51)))}",
                "Message id: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 40 more",
            ),
            ("archived=any", "Live and in the archive"),
            ("family=roots", "Roots only"),
            ("payload_contains=no+balance", 'Payload contains "no balance"'),
            ("msg_timestamp_from=today&msg_timestamp_to=today", "Sent today"),
        ],
    )
    def test_describes_each_filter_in_words(self, query, words):
        assert line_of(query).words == [words]

    def test_shows_an_error_at_its_term(self):
        error = FieldError("failed_error_code", "too_long", "failed_error_code has at most 5 characters.")
        (marked,) = line_of("state=OK&failed_error_code=TOOLONG", error).errors
        assert (marked.marked, marked.message) == ("error:TOOLONG", "Has at most 5 characters.")

    def test_explains_how_to_limit_a_search(self):
        error = FieldError("payload_contains", "required", "payload_contains needs a range.")
        (marked,) = line_of("payload_contains=x", error).errors
        assert "add received:>-2h" in marked.message

    def test_separates_an_invalid_filter(self):
        line = line_of("cursor=c", FieldError("cursor", "x", "This cursor is of another list."))
        assert (line.text, line.errors, line.others) == ("", [], ["This cursor is of another list."])
