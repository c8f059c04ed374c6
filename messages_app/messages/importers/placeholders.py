"""
Recognizes values that fill a mandatory element but name nothing.

Peppol makes the order reference of some documents mandatory, and lets senders without an order write "NA";
others write their system's text for an empty field. If they were read as ids, all documents of the two
parties would be in one process.
"""

import re

# Without blanks and punctuation.
# fmt: off
_WORDS = frozenset({
    "na", "none", "null", "nil", "nan", "undefined", "unknown", "unspecified", "unassigned",
    "empty", "blank", "missing", "notapplicable", "notavailable", "notspecified", "notprovided",
    "notknown", "notused", "nonapplicable", "noorder", "noreference", "noid", "tbd", "tba", "tbc",
    "xxx", "keine", "ohne", "unbekannt", "nichtzutreffend", "sansobjet", "sinreferencia",
    "nonapplicabile",
})
# fmt: on


def is_placeholder(text: str) -> bool:
    """
    Whether a text means that a value is missing.

    Case, blanks and punctuation are ignored: "N/A", "n.a." and "Not applicable" are placeholders. A text that
    has only punctuation or zeros is one too.
    """
    plain = re.sub(r"[\W_]", "", text.casefold())
    return not plain.strip("0") or plain in _WORDS
