"""
Reads an XML document: its sender and receiver, its type, and the document that it answers.

This module uses no database, network or files. Documents with a DTD are refused unless the caller accepts
them; entities are never resolved, and the parser's limits of depth and text size apply. The roles of the
parties follow UBL 2.1; identities.py reads ISO 20022 and SOAP.

Source: docs/contributing/spec/bad_input.md, "Payloads".
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from lxml import etree

from messages_app.messages.importers.encodings import encoding_fault
from messages_app.messages.importers.identities import identify_document
from messages_app.messages.importers.placeholders import is_placeholder

UBL_NAMESPACE = re.compile(r"urn:oasis:names:specification:ubl:schema:xsd:\w+-2")
NO_PARTY = "UNKNOWN"
NO_SERVICE = "documents"

# The elements of sender and receiver, by the type of the document. The first existing element is used.
_BUYER_TO_SELLER = (("BuyerCustomerParty",), ("SellerSupplierParty",))
_SHIPPER = ("DespatchSupplierParty", "SellerSupplierParty")
_CONSIGNEE = ("BuyerCustomerParty", "DeliveryCustomerParty")
_ROLES = {
    "Order": _BUYER_TO_SELLER,
    "OrderChange": _BUYER_TO_SELLER,
    "OrderCancellation": _BUYER_TO_SELLER,
    "OrderResponse": _BUYER_TO_SELLER[::-1],
    "OrderResponseSimple": _BUYER_TO_SELLER[::-1],
    "DespatchAdvice": (_SHIPPER, _CONSIGNEE),
    "ReceiptAdvice": (_CONSIGNEE, _SHIPPER),
    "Invoice": (("AccountingSupplierParty",), ("AccountingCustomerParty",)),
    "CreditNote": (("AccountingSupplierParty",), ("AccountingCustomerParty",)),
}
_ANY_ROLES = (
    ("SenderParty", "ProviderParty", "SellerSupplierParty"),
    ("ReceiverParty", "BuyerCustomerParty"),
)

_ORDERS = ("Order",)
_BILLS = ("Invoice", "CreditNote", "SelfBilledInvoice", "SelfBilledCreditNote")
# The paths at which a document names the document that it answers, and the types of the latter (empty: any).
_REFERENCES = (
    ("{*}OrderReference/{*}ID", _ORDERS),
    ("{*}BillingReference/{*}InvoiceDocumentReference/{*}ID", _BILLS),
    ("{*}DocumentResponse/{*}DocumentReference/{*}ID", ()),
)
_OPENS_CONVERSATION = frozenset({"Order"})
# The identifiers of a party, best first. Some elements are the party itself, others contain a Party.
_PARTY_PATHS = (".//{*}EndpointID", ".//{*}PartyName/{*}Name", ".//{*}RegistrationName", ".//{*}ID")

# The id that the seller gave to an order, for buyers that gave none.
_SALES_ORDER = "{*}OrderReference/{*}SalesOrderID"
# No id of a document may be longer: message.correlation_id has 100 characters.
MAX_ID = 100
_IDS = ("{*}ID", _SALES_ORDER, *(path for path, _ in _REFERENCES))

# Years that the database and every reader of its rows can represent in any time zone.
FIRST_YEAR, LAST_YEAR = 1900, 2999


class DocumentRefused(Exception):
    """The document cannot become a message. The text says why, in one line."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The document that another one answers: its id, who issued it to whom, and the types it may have."""

    document_id: str
    issuer: str
    counterpart: str
    types: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """
    One XML document.

    Args:
        type: name of the root element.
        document_id: the document's own id, None if it has none.
        sender, receiver: source systems, see party_code.
        service: the service, from the document's profile, see _service.
        issued: moment of issue, None if the document has no date; midnight if it has no time.
        issued_until: latest possible moment of issue: the end of the day if it has no time.
        answers: the document that this one answers, None if it opens a conversation.
        opens_process: whether the document, or what it answers, opens a process.
        payload: the whole text without the XML declaration, whose encoding no longer applies.
        digest: SHA-256 of the payload, hexadecimal.
    """

    type: str
    document_id: str | None
    sender: str
    receiver: str
    service: str
    issued: datetime | None
    issued_until: datetime | None
    answers: Reference | None
    opens_process: bool
    payload: str
    digest: str


def read_document(raw: bytes, *, with_doctype: bool = False) -> Document:
    """
    Read one document from the bytes of its file.

    Args:
        with_doctype: accept a document with a DTD, which stays text: nothing in it is resolved or loaded.

    Raises:
        DocumentRefused: the document is empty or not well-formed, has a DTD that is not accepted, an id that
            is too long, or an invalid date.
    """
    tree = _parse_xml(raw, with_doctype=with_doctype)
    identity = identify_document(tree.getroot())
    root = identity.content
    name = etree.QName(root)
    _check_length("root element", name.localname)
    _check_length("message id", identity.document_id or "")
    payload = _decode_text(raw, encoding=tree.docinfo.encoding or "UTF-8")
    is_ubl = bool(UBL_NAMESPACE.fullmatch(name.namespace or ""))
    if is_ubl:
        _check_ids(root)
    sender, receiver = (
        _find_parties(root, name.localname) if is_ubl else (_code_of(identity.sender), NO_PARTY)
    )
    issued, issued_until = _find_issue_times(root) if is_ubl else (None, None)
    return Document(
        type=identity.type,
        document_id=(_name_at(root, "{*}ID") if is_ubl else None) or identity.document_id,
        sender=sender,
        receiver=receiver,
        service=_service_of_profile(root) if is_ubl else NO_SERVICE,
        issued=issued,
        issued_until=issued_until,
        answers=_answered_reference(root, name.localname, sender, receiver) if is_ubl else None,
        opens_process=is_ubl,
        payload=payload,
        digest=hashlib.sha256(payload.encode()).hexdigest(),
    )


def _code_of(sender: str | None) -> str:
    return party_code(sender) if sender else NO_PARTY


def party_code(text: str) -> str:
    """
    Return the source system that represents a party: letters and digits, upper case, at most 15.

    A longer text is cut to its last 15 characters, because numbers from one register differ at their end.
    """
    return re.sub(r"[\W_]", "", text.upper())[-15:] or NO_PARTY


def _parse_xml(raw: bytes, *, with_doctype: bool) -> etree._ElementTree:
    if not raw.strip():
        raise DocumentRefused("the file is empty.")
    # Each file has its own parser, because a parser that failed keeps the data that it failed on.
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        tree = etree.fromstring(raw, parser).getroottree()
    except etree.XMLSyntaxError as error:
        if "amplification" in str(error.msg):
            raise DocumentRefused("its entities would expand to many times its size.") from None
        raise DocumentRefused(encoding_fault(raw) or f"not well-formed XML: {error.msg}.") from None
    if not with_doctype and (tree.docinfo.internalDTD is not None or tree.docinfo.doctype):
        raise DocumentRefused(
            "it has a DTD, which is not processed. Use --with-doctype to load it unprocessed."
        )
    return tree


def _decode_text(raw: bytes, *, encoding: str) -> str:
    try:
        text = raw.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        raise DocumentRefused(encoding_fault(raw) or f"its text is not {encoding}.") from None
    return re.sub(r"\A\s*<\?xml\s.*?\?>\s*", "", text.removeprefix("\ufeff"), flags=re.DOTALL)


def _text_of_element(element: etree._Element, path: str) -> str | None:
    return (element.findtext(path) or "").strip() or None


def _name_at(element: etree._Element, path: str) -> str | None:
    """Return an id, a name or a reference, or None if the value is missing or a placeholder."""
    value = _text_of_element(element, path)
    return None if value is None or is_placeholder(value) else value


def _check_ids(root: etree._Element) -> None:
    for path in _IDS:
        _check_length(path.replace("{*}", ""), _text_of_element(root, path) or "")


def _check_length(field: str, text: str) -> None:
    if len(text) > MAX_ID:
        raise DocumentRefused(f"{field} is {len(text)} characters long, {MAX_ID} is the limit.")


def _service_of_profile(root: etree._Element) -> str:
    """Return the last word of the profile: "ordering" of urn:fdc:peppol.eu:poacc:bis:ordering:3."""
    parts = (_text_of_element(root, "{*}ProfileID") or "").split(":")
    words = [part for part in parts if re.fullmatch(r"[A-Za-z][\w-]*", part)]
    return words[-1].lower()[:30] if words and not is_placeholder(words[-1]) else NO_SERVICE


def _find_parties(root: etree._Element, document_type: str) -> tuple[str, str]:
    senders, receivers = _ROLES.get(document_type, _ANY_ROLES)
    return _find_party(root, senders), _find_party(root, receivers)


def _find_party(root: etree._Element, names: tuple[str, ...]) -> str:
    """Return the code of the first party with an endpoint, otherwise with a name, otherwise with an id."""
    wrappers = [party for name in names if (party := root.find(f"{{*}}{name}")) is not None]
    for path in _PARTY_PATHS:
        for wrapper in wrappers:
            if value := _name_at(wrapper, path):
                return party_code(value)
    return NO_PARTY


def _answered_reference(
    root: etree._Element, document_type: str, sender: str, receiver: str
) -> Reference | None:
    if document_type in _OPENS_CONVERSATION:
        return None
    for path, types in _REFERENCES:
        issuer, counterpart = _find_issuer(root, types, sender, receiver)
        if document_id := _name_at(root, path):
            return Reference(document_id=document_id, issuer=issuer, counterpart=counterpart, types=types)
        if types == _ORDERS and (document_id := _name_at(root, _SALES_ORDER)):
            # The seller's own number for the order: issuer and counterpart are swapped.
            return Reference(document_id=document_id, issuer=counterpart, counterpart=issuer, types=types)
    return None


def _find_issuer(root: etree._Element, types: tuple[str, ...], sender: str, receiver: str) -> tuple[str, str]:
    """
    Return the issuer of the answered document, and its counterpart.

    Buyers order and sellers bill. Any other document is answered by its receiver.
    """
    if types == _ORDERS:
        buyer = _find_party(root, ("BuyerCustomerParty", "AccountingCustomerParty", "DeliveryCustomerParty"))
        return (buyer, sender) if sender != buyer else (buyer, receiver)
    if types == _BILLS:
        return sender, receiver
    return receiver, sender


def _find_issue_times(root: etree._Element) -> tuple[datetime | None, datetime | None]:
    """
    Return the earliest and the latest moment of the issue: a day without a time is all of that day.

    A time without a zone is taken as UTC. Raises DocumentRefused: a value is not a date or time.
    """
    day_text, time_text = _text_of_element(root, "{*}IssueDate"), _text_of_element(root, "{*}IssueTime")
    if day_text is None:
        return None, None
    day = _parse_day(day_text)
    if time_text is None:
        start = datetime.combine(day, time.min, UTC)
        return start, start + timedelta(days=1)
    try:
        moment = datetime.combine(day, time.fromisoformat(time_text))
    except ValueError:
        raise DocumentRefused(f"IssueTime {time_text[:40]!r} is not a time.") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment, moment


def _parse_day(text: str) -> date:
    try:
        # In XML Schema, a date may have a time zone. The day is the first ten characters.
        day = date.fromisoformat(text[:10])
    except ValueError:
        raise DocumentRefused(f"IssueDate {text[:40]!r} is not a date.") from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise DocumentRefused(f"IssueDate {text[:40]!r} is not between {FIRST_YEAR} and {LAST_YEAR}.")
    return day
