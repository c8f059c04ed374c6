"""Parameters of tests: `make test` uses the first value of some, and `make test-slow` all of them."""

from collections.abc import Iterable

import pytest


def quick_first(values: Iterable, *, quick: int = 1) -> list:
    """
    Return the values of one parameter for `parametrize`: all after the first `quick` are slow tests.

    Of several parameters each value is a `pytest.param`.

    Source: docs/contributing/decisions/0027-time-of-the-suite.md, "Decision".
    """
    return [value if number < quick else _slow(value) for number, value in enumerate(values)]


def _slow(value: object) -> object:
    several = value.values if isinstance(value, type(pytest.param())) else (value,)
    return pytest.param(*several, marks=pytest.mark.slow)
