"""
How a value stands in a file that people open with a spreadsheet program: the one statement of the rule.

Imports nothing of Django: executors write files too. Source: reliability D60, S-37.
"""

from datetime import datetime

# A CSV file begins with it: by this mark spreadsheet programs know UTF-8.
CSV_MARK = "\ufeff"

# With these a spreadsheet program takes a cell for a formula; tab and return lead to the same.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: object) -> object:
    """Return a value as a cell of a CSV file, so that no text is taken for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return text_of(value)


def text_of(value: object) -> object:
    """Return a time with its offset; anything else as it is."""
    return value.isoformat() if isinstance(value, datetime) else value
