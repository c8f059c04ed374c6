"""
Values that fill a mandatory element and name nothing.

Peppol makes the order reference of some documents mandatory, and has senders without an order write "NA";
others write what their system prints for an empty field. Taken for ids, they would make one process of all
documents of two parties.
"""

import re

# As printed without blanks and punctuation.
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
    Return whether a text stands for "there is none".

    Case, blanks and punctuation do not count: "N/A", "n.a." and "Not applicable" are placeholders. So is a
    text of punctuation or zeros alone.
    """
    plain = re.sub(r"[\W_]", "", text.casefold())
    return not plain.strip("0") or plain in _WORDS
