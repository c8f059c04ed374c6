import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from messages_app.messages.importers.documents import DocumentRefused, party_code, read_document

DOCUMENTS = Path(__file__).parents[3] / "documents"
BUYER, SELLER = "4000001000005", "4000002000002"


def read(name: str):
    return read_document((DOCUMENTS / name).read_bytes())


def with_date(element: str) -> bytes:
    text = (DOCUMENTS / "order_change.xml").read_text()
    return text.replace("<cbc:IssueDate>2024-03-05</cbc:IssueDate>", element).encode()


class TestReadDocument:
    def test_reads_an_order(self):
        order = read("z_order.xml")
        assert (order.type, order.document_id, order.service) == ("Order", "PO-77", "ordering")
        assert (order.sender, order.receiver) == (BUYER, SELLER)
        assert order.issued == order.issued_until == datetime(2024, 3, 4, 9, 15, tzinfo=UTC)
        assert order.answers is None

    def test_uses_the_start_of_the_day_for_a_document_without_a_time(self):
        change = read("order_change.xml")
        assert change.issued == datetime(2024, 3, 5, tzinfo=UTC)
        assert change.issued_until - change.issued == timedelta(days=1)

    def test_keeps_the_offset_of_a_time(self):
        assert read("order_response.xml").issued == datetime(2024, 3, 4, 15, 40, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("name", "sender"),
        [("order_change.xml", BUYER), ("order_response.xml", SELLER), ("despatch_advice.xml", SELLER)],
    )
    def test_finds_the_answered_order(self, name, sender):
        document = read(name)
        assert document.sender == sender
        assert document.answers.document_id == "PO-77"
        assert (document.answers.issuer, document.answers.counterpart) == (BUYER, SELLER)
        assert document.answers.types == ("Order",)

    def test_finds_the_answered_invoice(self):
        answers = read("invoice_response.xml").answers
        assert (answers.document_id, answers.issuer, answers.types) == ("INV-5", SELLER, ())

    def test_removes_the_xml_declaration_and_nothing_else(self):
        payload = read("latin1_catalogue.xml").payload
        assert payload.startswith("<Catalogue ")
        assert "Küche und Büro" in payload

    def test_reads_a_document_that_is_not_ubl_without_ids(self):
        shipment = read("shipment.xml")
        assert (shipment.type, shipment.document_id, shipment.sender) == ("shipment", None, "UNKNOWN")
        assert shipment.answers is None

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"", "empty"),
            (b" \n", "empty"),
            (b"not xml", "not well-formed"),
            (b"<a><b></b>", "not well-formed"),
            (b"<a/><b/>", "not well-formed"),
            (b"<a>&nope;</a>", "not well-formed"),
            (b"\xff\xfe\x00\x01", "not well-formed"),
            (b"<a>" * 300 + b"</a>" * 300, "not well-formed"),
            (b"<!DOCTYPE a><a/>", "DTD"),
            (b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>', "DTD"),
            (b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', "DTD"),
        ],
    )
    def test_rejects_unsafe_documents(self, raw, reason):
        with pytest.raises(DocumentRefused, match=reason):
            read_document(raw)

    def test_rejects_nested_entities(self):
        entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
        raw = f'<!DOCTYPE a [<!ENTITY l0 "lol">{entities}]><a>&l9;</a>'.encode()
        with pytest.raises(DocumentRefused):
            read_document(raw)

    @pytest.mark.parametrize("element", ["2024-13-45", "soon", "0001-01-01", "9999-12-31"])
    def test_rejects_an_invalid_date(self, element):
        with pytest.raises(DocumentRefused, match="IssueDate"):
            read_document(with_date(f"<cbc:IssueDate>{element}</cbc:IssueDate>"))

    def test_rejects_an_invalid_time(self):
        raw = with_date("<cbc:IssueDate>2024-03-05</cbc:IssueDate><cbc:IssueTime>noon</cbc:IssueTime>")
        with pytest.raises(DocumentRefused, match="IssueTime 'noon'"):
            read_document(raw)

    def test_reads_a_document_without_a_date(self):
        document = read_document(with_date(""))
        assert document.issued is None
        assert document.issued_until is None


class TestDoctype:
    def test_is_kept_as_text_on_request_without_loading_or_expanding_anything(self, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("hunter2")
        raw = (
            f'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd" [<!ENTITY e SYSTEM "{secret.as_uri()}">'
            '<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p; <!ENTITY i "inner">'
            '<!ATTLIST a by CDATA "default">]><a>&e;&i;</a>'
        ).encode()
        document = read_document(raw, with_doctype=True)
        assert document.payload == raw.decode()
        assert (document.type, document.document_id, document.sender) == ("a", None, "UNKNOWN")

    @pytest.mark.parametrize("use", ["<a>&l9;</a>", '<a x="&l9;"/>'])
    def test_is_refused_quickly_if_its_entities_are_a_bomb(self, use):
        entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
        raw = f'<!DOCTYPE a [<!ENTITY l0 "lol">{entities}]>{use}'.encode()
        began = time.process_time()
        with pytest.raises(DocumentRefused, match="would expand to many times its size"):
            read_document(raw, with_doctype=True)
        assert time.process_time() - began < 1

    def test_is_refused_by_default_with_the_option_named(self):
        with pytest.raises(DocumentRefused, match="Use --with-doctype to load it unprocessed"):
            read_document(b"<!DOCTYPE a><a/>")


class TestPartyCode:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("4000001000005", "4000001000005"),
            ("The Supplier, AB", "THESUPPLIERAB"),
            ("9915:de-1234567890-12345", "123456789012345"),
            ("Köparen", "KÖPAREN"),
            (" - ", "UNKNOWN"),
        ],
    )
    def test_is_at_most_15_upper_case_letters_and_digits(self, text, code):
        assert party_code(text) == code


def with_order(reference: str, *, name: str = "invoice.xml") -> bytes:
    """Return an invoice with this instead of the ID of its order."""
    text = (DOCUMENTS / name).read_text()
    return text.replace("<cbc:ID>PO-77</cbc:ID>", reference).encode()


class TestPlaceholder:
    @pytest.mark.parametrize(
        "text", ["NA", "n/a", "N.A.", "NONE", "-", "0", "Not applicable", "unknown", "NULL"]
    )
    def test_is_not_the_id_of_an_order(self, text):
        assert read_document(with_order(f"<cbc:ID>{text}</cbc:ID>")).answers is None

    def test_yields_to_the_order_number_of_the_seller(self):
        both = "<cbc:ID>NA</cbc:ID><cbc:SalesOrderID>123456</cbc:SalesOrderID>"
        answers = read_document(with_order(both)).answers
        assert (answers.document_id, answers.issuer, answers.counterpart) == ("123456", SELLER, BUYER)

    def test_the_order_number_of_the_buyer_comes_first(self):
        both = "<cbc:ID>PO-78</cbc:ID><cbc:SalesOrderID>123456</cbc:SalesOrderID>"
        answers = read_document(with_order(both)).answers
        assert (answers.document_id, answers.issuer) == ("PO-78", BUYER)

    def test_is_not_the_order_number_of_the_seller(self):
        both = "<cbc:ID>NA</cbc:ID><cbc:SalesOrderID>N/A</cbc:SalesOrderID>"
        assert read_document(with_order(both)).answers is None

    def test_does_not_affect_other_references(self):
        billed = (
            "<cbc:ID>NA</cbc:ID></cac:OrderReference><cac:BillingReference><cac:InvoiceDocumentReference>"
            "<cbc:ID>INV-4</cbc:ID></cac:InvoiceDocumentReference></cac:BillingReference><cac:OrderReference>"
        )
        answers = read_document(with_order(billed)).answers
        assert (answers.document_id, answers.issuer) == ("INV-4", SELLER)

    def test_is_not_the_id_of_a_corrected_invoice(self):
        raw = (DOCUMENTS / "invoice_response.xml").read_bytes().replace(b"INV-5", b"N/A")
        assert read_document(raw).answers is None

    def test_is_not_the_id_of_the_document(self):
        raw = (
            (DOCUMENTS / "invoice.xml")
            .read_bytes()
            .replace(b"<cbc:ID>INV-5</cbc:ID>", b"<cbc:ID>n/a</cbc:ID>")
        )
        assert read_document(raw).document_id is None

    def test_is_not_an_endpoint_so_the_name_of_the_party_is_used(self):
        raw = (DOCUMENTS / "invoice.xml").read_bytes().replace(b"4000002000002", b"NA")
        assert read_document(raw).sender == "HARBOURPAPER"

    def test_is_not_a_service(self):
        raw = (DOCUMENTS / "invoice.xml").read_bytes().replace(b"urn:example:bis:billing:3", b"NA")
        assert read_document(raw).service == "documents"

    @pytest.mark.parametrize("text", ["NA-1", "PO-0", "2024", "NAB", "NONE-SUCH", "10"])
    def test_similar_texts_are_ids_of_orders(self, text):
        assert read_document(with_order(f"<cbc:ID>{text}</cbc:ID>")).answers.document_id == text


class TestLongId:
    @pytest.mark.parametrize(
        ("old", "field"),
        [
            ("<cbc:ID>INV-5</cbc:ID>", "ID"),
            ("<cbc:ID>PO-77</cbc:ID>", "OrderReference/ID"),
        ],
    )
    def test_is_rejected_with_its_name(self, old, field):
        text = (DOCUMENTS / "invoice.xml").read_text()
        long = text.replace(old, f"<cbc:ID>{'9' * 300}</cbc:ID>").encode()
        with pytest.raises(DocumentRefused) as refused:
            read_document(long)
        assert str(refused.value) == f"{field} is 300 characters long, 100 is the limit."
        fits = text.replace(old, f"<cbc:ID>{'9' * 100}</cbc:ID>").encode()
        assert read_document(fits).type == "Invoice"

    def test_is_rejected_as_the_order_of_the_seller_and_of_the_root(self):
        both = f"<cbc:ID>NA</cbc:ID><cbc:SalesOrderID>{'9' * 101}</cbc:SalesOrderID>"
        with pytest.raises(DocumentRefused, match="OrderReference/SalesOrderID is 101 characters long"):
            read_document(with_order(both))
        with pytest.raises(DocumentRefused, match="root element is 101 characters long"):
            read_document(f"<{'r' * 101}/>".encode())
