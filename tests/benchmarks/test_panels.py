import pytest

from benchmarks.panels import short_number, ticks


@pytest.mark.parametrize(
    ("lowest", "highest", "values"),
    [
        (0.017, 1.0, [0.1, 1.0]),
        (0.6, 3.45, [1.0, 3.0]),
        (1, 30_000, [1.0, 10.0, 100.0, 1000.0, 10000.0]),
        (1.34, 4.5, [1.5, 2.0, 3.0]),
    ],
)
def test_ticks_are_round_values_inside_the_axis(lowest, highest, values):
    assert ticks(lowest, highest) == pytest.approx(values)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0266, "0.0266"), (2.0, "2"), (17.5, "17.5"), (271, "271"), (10_000, "10,000")]
)
def test_numbers_have_three_digits(value, text):
    assert short_number(value) == text
