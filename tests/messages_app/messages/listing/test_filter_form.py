from django.http import QueryDict

from messages_app.core.problems import FieldError
from messages_app.messages.filters.message_filter import ARCHIVED, FAMILY, FILTERS, STATE
from messages_app.messages.filters.vocabulary import LABELS
from messages_app.messages.listing.filter_form import FilterForm


def form_of(query: str, **options: object) -> FilterForm:
    return FilterForm(QueryDict(query), allowed=frozenset(FILTERS), **options)


class TestFilterForm:
    def test_has_a_field_or_a_link_for_every_filter(self):
        fields = {field.name for field in form_of("").fields}
        assert fields | {STATE, ARCHIVED, FAMILY} == set(FILTERS) == set(LABELS)

    def test_turns_a_state_on_and_off_and_starts_at_the_first_page(self):
        links = {link.text: link for link in form_of("state=OK,NEW&cursor=c&at=x&service_name=a").states}
        assert links["OK"].is_on
        assert links["OK"].query == "?service_name=a&state=NEW"
        assert not links["FAILED"].is_on
        assert links["FAILED"].query == "?service_name=a&state=OK,NEW,FAILED"

    def test_offers_ranges_of_receipt_that_stay_relative(self):
        links = {link.text: link for link in form_of("receive_timestamp_from=-1h&state=OK").received}
        assert links["24 h"].query == "?state=OK&receive_timestamp_from=-24h"
        assert [text for text, link in links.items() if link.is_on] == ["1 h"]
        assert links["Any time"].query == "?state=OK"

    def test_marks_the_selected_place(self):
        assert [link.text for link in form_of("archived=any").places if link.is_on] == ["Both"]
        assert [link.text for link in form_of("").places if link.is_on] == ["Live"]

    def test_reports_errors_with_the_names_of_labels(self):
        error = FieldError(
            "receive_timestamp_from", "x", "receive_timestamp_from is later than receive_timestamp_to."
        )
        form = form_of("", errors=[error])
        assert [field.error for field in form.fields if field.error] == ["Is later than Received to (UTC)."]
