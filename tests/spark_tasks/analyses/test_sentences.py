import pytest

from spark_tasks.analyses.fields import FORMAT, SIZE, Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.reports import Finding
from spark_tasks.analyses.sentences import (
    format_share,
    name_field,
    name_predicate,
    write_alternatives,
    write_sentence,
)

CURRENCY = Predicate(Field(Source.PAYLOAD, "/Invoice/currency"), Kind.VALUE, "CHF")
NOTE = Predicate(Field(Source.PAYLOAD, "/Invoice/Note"), Kind.MISSING)


def write(*shares: int, predicates: tuple[Predicate, ...] = (CURRENCY,)) -> str:
    return write_sentence(Finding(predicates, Shares(*shares)))


class TestWriteSentence:
    def test_gives_shares_of_many_messages_with_the_interval_of_the_difference(self):
        assert write(212, 212, 58, 1_930) == (
            "All 212 have currency CHF; 3 % of the processed ones do"
            " (95 % interval of the difference: 95 to 98 points)."
        )

    def test_gives_the_number_and_the_share_of_many_failing_messages(self):
        assert write(198, 212, 58, 1_930).startswith("198 of 212 (93 %) have currency CHF; 3 % of the")

    def test_gives_numbers_instead_of_shares_of_fewer_than_a_hundred(self):
        assert write(8, 9, 2, 40).startswith("8 of 9 have currency CHF; 2 of the 40 processed ones do (")
        assert write(9, 9, 1, 99).startswith("All 9 have currency CHF; 1 of the 99 processed ones does (")

    def test_says_none_and_all(self):
        assert "; none of the 1\u202f930 processed ones does (" in write(212, 212, 0, 1_930)
        assert "; all 1\u202f930 processed ones do (" in write(212, 212, 1_930, 1_930)

    def test_joins_the_two_of_a_pair(self):
        assert write(9, 9, 0, 40, predicates=(CURRENCY, NOTE)).startswith(
            "All 9 have currency CHF and no Note; "
        )

    def test_gives_a_narrow_interval_with_a_decimal(self):
        assert write(50_000, 50_000, 1_500, 50_000).endswith(
            "(95 % interval of the difference: 96.8 to 97.1 points)."
        )


class TestNamePredicate:
    @pytest.mark.parametrize(
        ("path", "kind", "value", "length", "words"),
        [
            ("/o/City", Kind.VALUE, "New York", 0, 'City "New York"'),
            ("/o/Buyer/City", Kind.EMPTY, "", 0, "an empty Buyer/City"),
            ("/o/City/@code", Kind.PRESENT, "", 0, "the field City/@code"),
            ("$.lines[*].sku", Kind.MISSING, "", 0, "no lines[*].sku"),
            ("/o/Note", Kind.AT_LEAST, "", 1_024, "Note with at least 1\u202f024 characters"),
            ("/o/Note", Kind.AT_MOST, "", 4, "Note with at most 4 characters"),
            (SIZE, Kind.AT_LEAST, "", 65_536, "a payload of at least 65\u202f536 characters"),
            (
                FORMAT,
                Kind.VALUE,
                "XML that is not well-formed",
                0,
                "a payload that is XML that is not well-formed",
            ),
            (FORMAT, Kind.MISSING, "", 0, "no payload"),
            (FORMAT, Kind.PRESENT, "", 0, "a payload"),
        ],
    )
    def test_is_the_object_of_have(self, path, kind, value, length, words):
        assert name_predicate(Predicate(Field(Source.PAYLOAD, path), kind, value, length)) == words


class TestNameField:
    def test_names_columns_by_the_words_of_pages_and_fields_of_the_envelope_with_their_place(self):
        assert name_field(Field(Source.COLUMN, "source_system")) == "source system"
        assert name_field(Field(Source.COLUMN, "node_id")) == "node"
        assert name_field(Field(Source.ENVELOPE, "/Envelope/Header/To")) == "Header/To in the envelope"
        assert name_field(Field(Source.PAYLOAD, "/Order")) == "Order"


class TestWriteAlternatives:
    def test_names_what_else_the_same_messages_have(self):
        country = Predicate(Field(Source.PAYLOAD, "/Invoice/Country"), Kind.VALUE, "CH")

        assert write_alternatives(Finding((CURRENCY,), Shares(9, 9, 0, 40), (country, NOTE))) == (
            "The same messages have Country CH and no Note."
        )
        assert write_alternatives(Finding((CURRENCY,), Shares(9, 9, 0, 40))) == ""

    def test_names_one_property_of_each_field(self):
        short, present = (NOTE._replace(kind=kind, length=0) for kind in (Kind.AT_MOST, Kind.PRESENT))
        same = CURRENCY._replace(kind=Kind.AT_MOST, length=3)

        assert write_alternatives(
            Finding((CURRENCY,), Shares(9, 9, 0, 40), (NOTE, short, same, present))
        ) == ("The same messages have no Note.")
        assert write_alternatives(Finding((CURRENCY,), Shares(9, 9, 0, 40), (same,))) == ""


class TestFormatShare:
    @pytest.mark.parametrize(
        ("share", "words"),
        [
            (0.0301, "3 %"),
            (0.006, "0.6 %"),
            (0.0004, "less than 0.1 %"),
            (0.9996, "more than 99.9 %"),
            (0.994, "99.4 %"),
        ],
    )
    def test_never_writes_a_part_as_nothing_or_everything(self, share, words):
        assert format_share(share) == words
