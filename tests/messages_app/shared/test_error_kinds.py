"""The kinds of causes decide which failures may belong to the outage of a system."""

from pathlib import Path

import pytest

from messages_app.shared.error_causes import CAUSES, Kind
from messages_app.shared.error_kinds import find_kind, find_row_of_cause
from messages_app.shared.error_titles import describe_cause
from tests.messages_app.shared.error_samples import read_samples

KINDS = dict(
    reversed(line.split(maxsplit=1))
    for line in (Path(__file__).parent / "causes" / "kinds.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
SAMPLES = read_samples("labelled.txt")


class TestKinds:
    def test_are_named_for_every_labelled_cause(self):
        assert {sample.cause for sample in SAMPLES} == set(KINDS)

    def test_of_one_cause_agree_in_nearly_all_of_its_wordings(self):
        wrong = [
            (sample.cause, sample.text[:80], find_kind(describe_cause(sample.text)))
            for sample in SAMPLES
            if find_kind(describe_cause(sample.text)) not in (KINDS[sample.cause], Kind.UNKNOWN)
        ]
        assert len(wrong) <= 0.01 * len(SAMPLES), wrong

    def test_of_the_labelled_texts_are_rarely_unknown(self):
        unknown = [s.cause for s in SAMPLES if find_kind(describe_cause(s.text)) is Kind.UNKNOWN]
        assert len(unknown) <= 0.15 * len(SAMPLES), unknown

    @pytest.mark.parametrize("row", CAUSES, ids=lambda row: row.title)
    def test_of_the_table_are_found_by_the_title(self, row):
        assert find_row_of_cause(f"{row.title} by pay.bank.example") == row
        assert row.kind is not Kind.UNKNOWN

    @pytest.mark.parametrize(
        ("cause", "kind"),
        [
            ("Service unavailable (HTTP 503) by pay.bank.example", Kind.INFRASTRUCTURE),
            ("Internal server error (HTTP 500) by pay.bank.example", Kind.INFRASTRUCTURE),
            ("Internal server error (HTTP 500): field amount is required", Kind.DATA),
            ("Too many requests (HTTP 429)", Kind.INFRASTRUCTURE),
            ("Unauthorized (HTTP 401)", Kind.INFRASTRUCTURE),
            ("Not found (HTTP 404) by crm.corp.example/customers", Kind.DATA),
            ("Not processable (HTTP 422)", Kind.DATA),
            ("connection closing (gRPC unavailable)", Kind.INFRASTRUCTURE),
            ("no such order (gRPC notfound)", Kind.DATA),
            ("The backend is not available", Kind.INFRASTRUCTURE),
            ("Der Dienst ist nicht erreichbar", Kind.INFRASTRUCTURE),
            ("Le service est indisponible", Kind.INFRASTRUCTURE),
            ("Usługa niedostępna", Kind.INFRASTRUCTURE),
            ("Das Feld Lieferdatum fehlt", Kind.DATA),
            ("Pedido no encontrado", Kind.DATA),
            ("class Invoice cannot be cast to class CreditNote", Kind.CODE),
            ('"NoneType" object has no attribute "get"', Kind.CODE),
            ("Stap kalo gaf mirek terug", Kind.UNKNOWN),
            ("", Kind.UNKNOWN),
        ],
    )
    def test_come_from_the_status_or_from_words(self, cause, kind):
        assert find_kind(cause) is kind
