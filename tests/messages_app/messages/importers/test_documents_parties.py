"""The parties of each type of document, and the document that it answers."""

import hashlib
from datetime import UTC, datetime

import pytest

from messages_app.messages.importers.documents import (
    FIRST_YEAR,
    LAST_YEAR,
    DocumentRefused,
    Reference,
    read_document,
)

PARTIES = (
    "BuyerCustomerParty",
    "SellerSupplierParty",
    "DespatchSupplierParty",
    "DeliveryCustomerParty",
    "AccountingSupplierParty",
    "AccountingCustomerParty",
    "SenderParty",
    "ReceiverParty",
    "ProviderParty",
)
CODES = {
    "BuyerCustomerParty": "BUYER",
    "SellerSupplierParty": "SELLER",
    "DespatchSupplierParty": "SHIPPER",
    "DeliveryCustomerParty": "CONSIGNEE",
    "AccountingSupplierParty": "BILLER",
    "AccountingCustomerParty": "PAYER",
    "SenderParty": "SENDER",
    "ReceiverParty": "RECEIVER",
    "ProviderParty": "PROVIDER",
}
ORDER = "<OrderReference><ID>PO-1</ID><SalesOrderID>SO-1</SalesOrderID></OrderReference>"
SALES_ORDER = "<OrderReference><SalesOrderID>SO-1</SalesOrderID></OrderReference>"
BILL = (
    "<BillingReference><InvoiceDocumentReference><ID>INV-1</ID></InvoiceDocumentReference></BillingReference>"
)
OTHER = "<DocumentResponse><DocumentReference><ID>DOC-1</ID></DocumentReference></DocumentResponse>"
BILLS = ("Invoice", "CreditNote", "SelfBilledInvoice", "SelfBilledCreditNote")


def ubl(document_type: str, content: str = "", *, without: tuple[str, ...] = ()) -> bytes:
    """Return a document with a party in each role, whose endpoint is the role's code."""
    parties = "".join(
        f"<{name}><Party><EndpointID>{CODES[name]}</EndpointID></Party></{name}>"
        for name in PARTIES
        if name not in without
    )
    namespace = f"urn:oasis:names:specification:ubl:schema:xsd:{document_type}-2"
    return f'<{document_type} xmlns="{namespace}">{content}{parties}</{document_type}>'.encode()


class TestParties:
    @pytest.mark.parametrize(
        ("document_type", "sender", "receiver"),
        [
            ("Order", "BUYER", "SELLER"),
            ("OrderChange", "BUYER", "SELLER"),
            ("OrderCancellation", "BUYER", "SELLER"),
            ("OrderResponse", "SELLER", "BUYER"),
            ("OrderResponseSimple", "SELLER", "BUYER"),
            ("DespatchAdvice", "SHIPPER", "BUYER"),
            ("ReceiptAdvice", "BUYER", "SHIPPER"),
            ("Invoice", "BILLER", "PAYER"),
            ("CreditNote", "BILLER", "PAYER"),
            ("Catalogue", "SENDER", "RECEIVER"),
        ],
    )
    def test_are_those_of_the_type(self, document_type, sender, receiver):
        document = read_document(ubl(document_type))
        assert (document.type, document.sender, document.receiver) == (document_type, sender, receiver)

    @pytest.mark.parametrize(
        ("document_type", "without", "parties"),
        [
            ("DespatchAdvice", ("DespatchSupplierParty",), ("SELLER", "BUYER")),
            ("DespatchAdvice", ("BuyerCustomerParty",), ("SHIPPER", "CONSIGNEE")),
            ("Catalogue", ("SenderParty",), ("PROVIDER", "RECEIVER")),
            ("Catalogue", ("SenderParty", "ProviderParty", "ReceiverParty"), ("SELLER", "BUYER")),
            ("Order", ("BuyerCustomerParty",), ("UNKNOWN", "SELLER")),
            ("Invoice", ("AccountingCustomerParty",), ("BILLER", "UNKNOWN")),
        ],
    )
    def test_may_be_other_ones_if_the_best_are_missing(self, document_type, without, parties):
        document = read_document(ubl(document_type, without=without))
        assert (document.sender, document.receiver) == parties

    @pytest.mark.parametrize(
        ("party", "code"),
        [
            ("<ID>4</ID><PartyName><Name>n2</Name></PartyName><EndpointID>e1</EndpointID>", "E1"),
            ("<ID>4</ID><RegistrationName>r3</RegistrationName><PartyName><Name>n2</Name></PartyName>", "N2"),
            ("<ID>4</ID><RegistrationName>r3</RegistrationName>", "R3"),
            ("<ID>4</ID>", "4"),
            ("<EndpointID>NA</EndpointID><ID>4</ID>", "4"),
            ("<City>5</City>", "UNKNOWN"),
        ],
    )
    def test_are_named_by_endpoint_name_registration_or_id(self, party, code):
        content = f"<BuyerCustomerParty><Party>{party}</Party></BuyerCustomerParty>"
        raw = ubl("Order", content, without=("BuyerCustomerParty",))
        assert read_document(raw).sender == code


class TestAnswers:
    @pytest.mark.parametrize(
        ("document_type", "content", "answers"),
        [
            ("Order", ORDER + BILL + OTHER, None),
            ("OrderChange", "", None),
            ("OrderChange", ORDER + BILL + OTHER, ("PO-1", "BUYER", "SELLER", ("Order",))),
            ("OrderResponse", ORDER, ("PO-1", "BUYER", "SELLER", ("Order",))),
            ("Invoice", ORDER, ("PO-1", "BUYER", "BILLER", ("Order",))),
            ("Invoice", SALES_ORDER + BILL, ("SO-1", "BILLER", "BUYER", ("Order",))),
            ("CreditNote", BILL + OTHER, ("INV-1", "BILLER", "PAYER", BILLS)),
            ("ApplicationResponse", OTHER, ("DOC-1", "RECEIVER", "SENDER", ())),
        ],
    )
    def test_name_the_document_its_issuer_and_its_types(self, document_type, content, answers):
        names = ("document_id", "issuer", "counterpart", "types")
        expected = Reference(**dict(zip(names, answers, strict=True))) if answers else None
        assert read_document(ubl(document_type, content)).answers == expected


class TestDocument:
    def test_has_each_value_of_its_own_element(self):
        content = (
            "<ProfileID>urn:x:Fancy-Ordering:3</ProfileID><ID>R-1</ID><IssueDate>2024-03-05Z</IssueDate>"
            "<IssueTime>10:00:00+02:00</IssueTime>"
        )
        raw = ubl("OrderResponse", content)
        document = read_document(b'<?xml version="1.0"?>\n' + raw)
        at = datetime(2024, 3, 5, 8, tzinfo=UTC)
        assert (document.document_id, document.service) == ("R-1", "fancy-ordering")
        assert (document.issued, document.issued_until, document.opens_process) == (at, at, True)
        assert (document.payload, document.digest) == (raw.decode(), hashlib.sha256(raw).hexdigest())

    @pytest.mark.parametrize(
        ("year", "fits"), [(FIRST_YEAR, True), (LAST_YEAR, True), (1899, False), (3000, False)]
    )
    def test_is_of_the_years_that_every_reader_knows(self, year, fits):
        raw = ubl("Order", f"<IssueDate>{year}-07-01</IssueDate>")
        if fits:
            assert read_document(raw).issued == datetime(year, 7, 1, tzinfo=UTC)
            return
        with pytest.raises(DocumentRefused) as refused:
            read_document(raw)
        assert str(refused.value) == f"IssueDate '{year}-07-01' is not between 1900 and 2999."

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b'<?xml version="1.0" encoding="utf-16"?><a/>', "it declares utf-16, but is UTF-8."),
            ("<a>\u00eb</a>".encode("latin-1"), "it declares no encoding, so it is UTF-8, but byte 0xEB at"),
            (b"<a><b></a>", "not well-formed XML: Opening and ending tag mismatch"),
        ],
    )
    def test_is_refused_with_its_fault(self, raw, reason):
        with pytest.raises(DocumentRefused) as refused:
            read_document(raw)
        assert str(refused.value).startswith(reason)
