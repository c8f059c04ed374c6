import pytest

from benchmarks.quick import worse_ones

LAST = {"queue": 2.0, "archive": 3.0}


def test_a_ratio_below_seven_tenths_of_its_last_figure_is_worse():
    assert worse_ones({"queue": 1.41, "archive": 2.09}, LAST) == ["archive"]
    assert worse_ones({"queue": 1.39, "archive": 9.0}, LAST) == ["queue"]
    assert worse_ones({"queue": 1.4, "archive": 2.11}, LAST) == []


def test_a_ratio_without_a_last_figure_is_an_error():
    with pytest.raises(KeyError, match="new"):
        worse_ones({"new": 1.0}, LAST)
