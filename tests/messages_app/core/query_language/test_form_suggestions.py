import pytest

from messages_app.core.query_language.form import MAX_SUGGESTIONS, Suggestions, suggest_terms
from messages_app.messages.filters.message_filter import CONTENT, FILTERS
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.shared.message_states import STATE_MEANINGS
from tests.support.factories import make_message

# The suggestions of values have the stored numbers of their messages.
pytestmark = pytest.mark.django_db


def at_bar(line: str, *, without: str = "") -> Suggestions:
    """Return the suggestions at the place of the bar (|)."""
    return suggest_terms(
        line.replace("|", ""), line.index("|"), VOCABULARY, allowed=frozenset(FILTERS) - {without}
    )


def texts(line: str) -> list[str]:
    return [option.text for option in at_bar(line).options]


def taken(line: str, number: int = 0) -> str:
    """Return the line after a suggestion is taken."""
    found, bare = at_bar(line), line.replace("|", "")
    return bare[: found.start] + found.options[number].insert + bare[found.end :]


class TestSuggest:
    def test_offers_keys_for_an_empty_line(self):
        assert texts("|")[:3] == ["state:", "source:", "service:"]
        assert len(texts("|")) == MAX_SUGGESTIONS
        assert texts("state:OK |")[:1] == ["state:"]

    def test_offers_keys_with_this_beginning_before_keys_that_contain_it(self):
        assert texts("pro|") == ["process:", "processed:", "state:PROCESSING"]

    def test_offers_a_state_by_its_beginning(self):
        assert texts("fai|") == ["state:FAILED"]
        assert taken("fai|") == "state:FAILED "

    def test_explains_each_key(self):
        options = {option.text: option for option in at_bar("|").options}
        assert (options["state:"].meaning, options["state:"].insert) == (
            "State: several, separated by commas",
            "state:",
        )
        assert options["service:"].meaning == "Service"
        (received,) = (option for option in at_bar("receiv|").options if option.text == "received:")
        assert received.meaning == "Received: >-2h, today, 2026-11-20..2026-11-21"

    def test_offers_no_states_for_an_empty_line_or_without_the_filter(self):
        assert not [text for text in texts("|") if text.startswith("state:F")]
        assert [option.text for option in at_bar("fai|", without="state").options] == []
        assert at_bar("state:F|", without="state").options == []
        only = suggest_terms("", 0, VOCABULARY, allowed=frozenset({"state"}))
        assert [option.text for option in only.options] == ["state:"]

    def test_offers_a_state_with_its_meaning(self):
        (option,) = at_bar("fai|").options
        assert (option.text, option.meaning, option.insert) == (
            "state:FAILED",
            STATE_MEANINGS["FAILED"],
            "state:FAILED ",
        )

    def test_offers_states_with_this_beginning_before_states_that_contain_it(self):
        assert texts("state:FAILED|")[0] == "FAILED"
        assert texts("state:O|") == ["OK", "PROCESSING", "WAITING_FOR_RES", "POSTPONED"]

    def test_offers_nothing_in_quotes(self):
        assert at_bar('"fai|"') == Suggestions(start=4, end=4, options=[])

    def test_offers_no_key_that_the_user_may_not_use(self):
        assert "payload:" in texts("pay|")
        assert not at_bar("pay|", without=CONTENT).options

    def test_replaces_the_typed_text_by_a_key(self):
        assert taken("serv|:billing state:OK") == "service:billing state:OK"
        assert taken("state:OK sour|") == "state:OK source:"

    def test_offers_states_with_their_meaning(self):
        options = at_bar("state:|").options
        assert {option.text: option.meaning for option in options} == STATE_MEANINGS

    def test_offers_states_after_a_comma_that_do_not_exist_yet(self):
        assert texts("state:FAILED,PAR|") == ["PARTLY_FAILED"]
        assert taken("state:failed,par|") == "state:FAILED,PARTLY_FAILED"
        assert "FAILED" not in texts("state:FAILED,|")

    def test_offers_times_with_their_meaning(self):
        assert ">-24h" in texts("received:>|")
        assert taken("received:tod|") == "received:today "

    @pytest.mark.parametrize("line", ['"no bal|', "nope:x|", "correlation:x|"])
    def test_offers_nothing_for_free_values(self, line):
        assert not at_bar(line).options

    @pytest.mark.django_db
    def test_offers_existing_values(self):
        for service in ("billing", "two words"):
            make_message(service_name=service)
        assert texts("service:|") == ["billing", "two words"]
        assert taken("state:OK service:bi| x") == "state:OK service:billing  x"
        assert taken("service:two|") == 'service:"two words" '


class TestNumbers:
    def test_are_next_to_the_values_of_facets(self):
        for state in ("FAILED", "FAILED", "OK"):
            make_message(state=state, service_name="billing")
        make_message(state="OK", service_name="order")
        meanings = {option.text: option.meaning for option in at_bar("service:|").options}
        assert meanings == {"billing": "3 messages", "order": "1 message"}
        [failed] = (option for option in at_bar("state:FAI|").options if option.text == "FAILED")
        assert failed.meaning == f"2 · {STATE_MEANINGS['FAILED']}"

    def test_follow_the_values_before_the_last_comma(self):
        for service in ("billing", "order", "two words"):
            make_message(service_name=service)
        assert texts("service:billing,|") == ["order", "two words"]
        assert taken("-service:billing,|") == "-service:billing,order "
        assert taken("service:billing,two|") == 'service:"billing" service:"two words" '
