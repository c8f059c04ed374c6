"""Groups hold one cause each, and each cause has one group: counted over pairs of texts with known causes."""

import pytest

from messages_app.shared.failure_texts import failure_of
from tests.messages_app.shared.error_samples import HELD_OUT, LABELLED, compare_pairs, read_samples

LEAST = 0.97


class TestGroupsOfTexts:
    def test_there_are_enough_texts(self):
        samples = read_samples("labelled.txt")
        assert len(samples) >= 300
        assert len({sample.cause for sample in samples}) >= 150

    @pytest.mark.parametrize("name", LABELLED + HELD_OUT)
    def test_hold_one_cause_each_and_all_texts_of_a_cause(self, name):
        samples = read_samples(name)
        groups = [failure_of("billing", "create", "", sample.text).fingerprint for sample in samples]
        pairs = compare_pairs(samples, groups)
        print(  # noqa: T201 - the figures of the rule
            f"\n{name}: {len(samples)} texts, precision {pairs.precision:.4f}, recall {pairs.recall:.4f}"
            f" ({pairs.right} pairs right, {len(pairs.merged)} merged, {len(pairs.split)} split)"
        )
        assert pairs.precision >= LEAST, pairs.merged
        assert pairs.recall >= LEAST, pairs.split

    def test_would_be_wrong_by_the_first_line_without_digits(self):
        samples = read_samples("labelled.txt")
        groups = [
            "".join(one for one in sample.text.partition("\n")[0] if not one.isdigit()) for sample in samples
        ]
        pairs = compare_pairs(samples, groups)
        assert (pairs.precision < LEAST, pairs.recall < LEAST) == (True, True)
