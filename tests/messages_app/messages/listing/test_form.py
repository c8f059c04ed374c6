from datetime import UTC, datetime

from django.http import QueryDict

from messages_app.messages.filtering.filters import ARCHIVED, FAMILY, FILTERS, STATE
from messages_app.messages.listing.form import FilterForm, said_plainly
from messages_app.messages.query_line.vocabulary import LABELS
from messages_app.web.problems import FieldError

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)


def form_of(query: str, **options: object) -> FilterForm:
    return FilterForm(QueryDict(query), allowed=frozenset(FILTERS), **options)


class TestFilterForm:
    def test_has_a_field_or_a_link_for_every_filter(self):
        fields = {field.name for field in form_of("").fields}
        assert fields | {STATE, ARCHIVED, FAMILY} == set(FILTERS) == set(LABELS)

    def test_offers_no_filter_that_its_reader_may_not_use(self):
        form = FilterForm(QueryDict(""), allowed={"service_name"})
        assert [field.name for field in form.fields] == ["service_name"]

    def test_shows_times_as_people_write_them(self):
        form = form_of("receive_timestamp_from=2026-11-21T03:00Z&receive_timestamp_to=x&msg_timestamp_to=-2h")
        values = {field.name: field.value for field in form.fields}
        assert values["receive_timestamp_from"] == "2026-11-21 03:00"
        assert values["receive_timestamp_to"] == "x"
        assert values["msg_timestamp_to"] == "-2h"

    def test_turns_a_state_on_and_off_and_starts_at_the_first_page(self):
        links = {link.text: link for link in form_of("state=OK,NEW&cursor=c&at=x&service_name=a").states}
        assert links["OK"].is_on
        assert links["OK"].query == "?service_name=a&state=NEW"
        assert not links["FAILED"].is_on
        assert links["FAILED"].query == "?service_name=a&state=OK,NEW,FAILED"

    def test_offers_ranges_of_receipt_that_stay_relative(self):
        links = {link.text: link for link in form_of("receive_timestamp_from=-1h&state=OK").recent}
        assert links["24 h"].query == "?state=OK&receive_timestamp_from=-24h"
        assert [text for text, link in links.items() if link.is_on] == ["1 h"]
        assert links["Any time"].query == "?state=OK"

    def test_says_which_place_is_looked_at(self):
        assert [link.text for link in form_of("archived=any").places if link.is_on] == ["Both"]
        assert [link.text for link in form_of("").places if link.is_on] == ["Live"]

    def test_widens_to_any_time(self):
        assert form_of("state=OK&msg_timestamp_to=-2h").without_times == "?state=OK"
        assert form_of("state=OK").without_times == ""

    def test_says_in_the_labels_words_what_is_wrong(self):
        error = FieldError(
            "receive_timestamp_from", "x", "receive_timestamp_from is later than receive_timestamp_to."
        )
        form = form_of("", errors=[error])
        assert [field.error for field in form.fields if field.error] == ["Is later than Received to (UTC)."]


class TestPageQuery:
    def test_fixes_from_when_relative_times_are_counted(self):
        query = form_of("receive_timestamp_from=-2h").page_query("c", now=NOW)
        assert query == "?receive_timestamp_from=-2h&at=2026-11-21T07:00:00Z&cursor=c"

    def test_leaves_exact_times_alone(self):
        assert form_of("state=OK").page_query("c", now=NOW) == "?state=OK&cursor=c"

    def test_leads_nowhere_at_an_end(self):
        assert form_of("").page_query(None, now=NOW) is None


class TestSaidPlainly:
    def test_begins_like_a_sentence(self):
        assert said_plainly(FieldError("state", "x", "state must be known.")) == "Must be known."
