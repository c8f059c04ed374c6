"""
Reads the type, the sender and the id of a document from its standard's namespace: ISO 20022 and SOAP.

A SOAP envelope has the type of the first element of its body; a business message of ISO 20022 has the type
that its namespace ends with, such as camt.053.001.02.

The elements are those of the message definitions of ISO 20022 and its business header head.001, of SOAP 1.1
and 1.2, and of Web Services Addressing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from messages_app.messages.importers.placeholders import is_placeholder

_ISO_20022 = re.compile(r"urn:(?:iso:std:iso:20022:tech|swift):xsd:(?:\w+\$)?([a-z]{4}\.\d{3}\.\d{3}\.\d{2})")
_SOAP = frozenset({"http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"})
_ADDRESSING = (
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
)
_HEADER = "head.001"
# The id and the sender of a business message: of payments, of statements, and of investigations.
_ISO_IDS = (
    "{*}BizMsgIdr",
    "{*}*/{*}GrpHdr/{*}MsgId",
    "{*}*/{*}MsgHdr/{*}MsgId",
    "{*}*/{*}MsgId/{*}Id",
    "{*}*/{*}Assgnmt/{*}Id",
)
_ISO_SENDERS = (
    "{*}Fr",
    "{*}*/{*}GrpHdr/{*}InstgAgt",
    "{*}*/{*}GrpHdr/{*}InitgPty",
    "{*}*/{*}Assgnmt/{*}Assgnr",
    "{*}*/{*}Stmt/{*}Acct/{*}Svcr",
    "{*}*/{*}Rpt/{*}Acct/{*}Svcr",
    "{*}*/{*}Ntfctn/{*}Acct/{*}Svcr",
)
# The identifiers of a party, best first.
_ISO_PARTY = (".//{*}BICFI", ".//{*}BIC", ".//{*}AnyBIC", ".//{*}BICOrBEI", ".//{*}Othr/{*}Id", ".//{*}Nm")


@dataclass(frozen=True, kw_only=True)
class Identity:
    """
    The identity of a document.

    Args:
        content: the element that is the document itself: of a SOAP envelope, the first one of its body.
        type: its type; by default the name of this element.
        document_id, sender: None if the standard has none, or the document does not name it.
    """

    content: etree._Element
    type: str
    document_id: str | None = None
    sender: str | None = None


def identify_document(root: etree._Element) -> Identity:
    """Return the identity of a document whose root is `root`."""
    name = etree.QName(root)
    if name.namespace in _SOAP and name.localname == "Envelope":
        return _identify_envelope(root)
    parts = list(_business_parts(root))
    types = [(part, _iso_type(part)) for part in parts]
    document = next((part for part, kind in types if kind and not kind.startswith(_HEADER)), None)
    if document is None:
        return Identity(content=root, type=name.localname)
    header = [part for part, kind in types if kind.startswith(_HEADER)]
    return Identity(
        content=root,
        type=_iso_type(document),
        document_id=_first_value([*header, document], _ISO_IDS),
        sender=_first_party([*header, document]),
    )


def _business_parts(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the root and, if it wraps a header and a document, these."""
    yield root
    if not _iso_type(root) or _iso_type(root).startswith(_HEADER):
        yield from (child for child in root if isinstance(child.tag, str))


def _iso_type(element: etree._Element) -> str:
    match = _ISO_20022.fullmatch(etree.QName(element).namespace or "")
    return match[1] if match else ""


def _identify_envelope(root: etree._Element) -> Identity:
    body = root.find("{*}Body")
    content = (
        next((child for child in body if isinstance(child.tag, str)), None) if body is not None else None
    )
    if content is None:
        return Identity(content=root, type=etree.QName(root).localname)
    inner = identify_document(content)
    header = root.find("{*}Header")
    elements = [] if header is None else [header]
    ids = [f"{{{namespace}}}MessageID" for namespace in _ADDRESSING]
    senders = [f"{{{namespace}}}From/{{{namespace}}}Address" for namespace in _ADDRESSING]
    return Identity(
        content=inner.content,
        type=inner.type,
        document_id=inner.document_id or _first_value(elements, ids),
        sender=inner.sender or _first_value(elements, senders),
    )


def _first_value(elements: Iterable[etree._Element], paths: Iterable[str]) -> str | None:
    paths = list(paths)
    for element in elements:
        for path in paths:
            value = (element.findtext(path) or "").strip()
            if value and not is_placeholder(value):
                return value
    return None


def _first_party(elements: Iterable[etree._Element]) -> str | None:
    for element in elements:
        for wrapper in (party for path in _ISO_SENDERS if (party := element.find(path)) is not None):
            if value := _first_value([wrapper], _ISO_PARTY):
                return value
    return None
