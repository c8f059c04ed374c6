import pytest

from messages_app.shared.error_titles import describe_cause
from tests.messages_app.shared.error_samples import read_samples

_PAIRS = [(sample.cause, *sample.text.split("|")) for sample in read_samples("pairs.txt")]


class TestPairsOfTexts:
    @pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in _PAIRS if pair[0] == "apart"])
    def test_of_two_causes_are_apart(self, one, other):
        assert describe_cause(one) != describe_cause(other)

    @pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in _PAIRS if pair[0] == "together"])
    def test_of_one_cause_are_together(self, one, other):
        assert describe_cause(one) == describe_cause(other)
