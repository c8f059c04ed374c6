"""Parameters of tests: `make test` uses the first value of some, and `make test-slow` all of them."""

from collections.abc import Iterable

import pytest


def quick_first(values: Iterable, *, quick: int = 1) -> list:
    """
    Return the values of one parameter for `parametrize`: all after the first `quick` are slow tests.

    Source: docs/decisions/0027-time-of-the-suite.md, "Decision".
    """
    return [
        value if number < quick else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]
