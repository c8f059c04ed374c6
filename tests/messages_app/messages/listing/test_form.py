import pytest
from django.http import QueryDict

from messages_app.messages.listing.filters import FILTERS
from messages_app.messages.listing.form import LABELS, FilterForm, tidied
from messages_app.web.problems import FieldError


def form_of(query: str, **options: object) -> FilterForm:
    return FilterForm(QueryDict(query), allowed=frozenset(FILTERS), **options)


class TestTidied:
    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            ("service_name=&state=", ""),
            ("service_name=+billing+", "service_name=billing"),
            ("state=OK&state=NEW", "state=OK%2CNEW"),
            ("receive_timestamp_to=2026-11-21", "receive_timestamp_to=2026-11-21T00%3A00Z"),
            ("msg_timestamp_to=2026-11-21+03:04:05", "msg_timestamp_to=2026-11-21T03%3A04%3A05Z"),
            ("msg_timestamp_to=2026-11-21T03:04%2B01:00", "msg_timestamp_to=2026-11-21T03%3A04%2B01%3A00"),
            ("msg_timestamp_to=yesterday", "msg_timestamp_to=yesterday"),
            ("object_id=2026-11-21", "object_id=2026-11-21"),
            ("nope=1", "nope=1"),
        ],
    )
    def test_leaves_one_way_to_write_a_filter(self, sent, kept):
        tidy = tidied(QueryDict(sent))
        assert tidy.urlencode() == kept
        assert tidied(tidy) == tidy


class TestFilterForm:
    def test_has_a_field_or_a_link_for_every_filter(self):
        assert set(LABELS) == set(FILTERS)

    def test_offers_no_filter_that_its_reader_may_not_use(self):
        form = FilterForm(QueryDict(""), allowed={"service_name"})
        assert [field.name for field in form.main + form.more] == ["service_name"]

    def test_shows_times_as_people_write_them(self):
        form = form_of("receive_timestamp_from=2026-11-21T03:00Z&receive_timestamp_to=x")
        values = {field.name: field.value for field in form.main}
        assert values["receive_timestamp_from"] == "2026-11-21 03:00"
        assert values["receive_timestamp_to"] == "x"

    def test_turns_a_state_on_and_off_and_starts_at_the_first_page(self):
        links = {link.text: link for link in form_of("state=OK,NEW&cursor=c&service_name=a").states}
        assert links["OK"].is_on
        assert links["OK"].query == "?service_name=a&state=NEW"
        assert not links["FAILED"].is_on
        assert links["FAILED"].query == "?service_name=a&state=OK,NEW,FAILED"

    def test_says_in_the_labels_words_what_is_wrong(self):
        error = FieldError(
            "receive_timestamp_from", "x", "receive_timestamp_from is later than receive_timestamp_to."
        )
        form = form_of("", errors=[error, FieldError("cursor", "x", "cursor is of another list.")])
        assert [field.error for field in form.main if field.error] == ["Is later than Received to (UTC)."]
        assert form.other_errors == ["cursor is of another list."]
        assert form.is_more_open
