"""The comparison as a whole, on planted causes. Source: docs/contributing/decisions/0041-analyses.md"""

import pyarrow as pa
import pytest

from spark_tasks.analyses.analysis import MIN_FAILING, MIN_PASSING, SampledSide, compare_sides
from spark_tasks.analyses.sentences import write_sentence
from tests.support.parameters import quick_first
from tests.support.planted_causes import Cause, LocalSide, analyse_trial, is_named_first, make_trial

# The rules were tuned on other seeds.
SEEDS, FAST_SEEDS = range(50_000, 50_040), range(50_000, 50_003)


def names_first(cause: Cause | None, seed: int) -> bool:
    trial = make_trial(seed, cause)
    return is_named_first(trial, analyse_trial(trial))


def cut_payloads(batch: pa.RecordBatch) -> pa.RecordBatch:
    place = batch.schema.get_field_index("payload")
    return batch.set_column(place, "payload", pa.array([text[:-5] for text in batch["payload"].to_pylist()]))


class TestCompareSides:
    @pytest.mark.parametrize("cause", quick_first(Cause, quick=2))
    def test_names_a_planted_cause_first(self, cause):
        assert [seed for seed in FAST_SEEDS if not names_first(cause, seed)] == []

    def test_names_nothing_without_a_cause(self):
        assert [seed for seed in FAST_SEEDS if not names_first(None, seed)] == []

    @pytest.mark.slow
    @pytest.mark.parametrize("cause", [*Cause, None])
    def test_is_right_in_at_least_nineteen_of_twenty(self, cause):
        misses = [seed for seed in SEEDS if not names_first(cause, seed)]

        assert len(misses) <= len(SEEDS) // 20, misses

    def test_names_payloads_that_are_not_well_formed(self):
        trial = make_trial(50_000, None)
        broken = [cut_payloads(batch) for batch in trial.failing]

        analysis = compare_sides(
            *(SampledSide(side, side) for side in (LocalSide(broken), LocalSide(trial.passing)))
        )

        assert write_sentence(analysis.findings[0]).startswith(
            f"All {analysis.failing} have a payload that is XML that is not well-formed; none of the"
        )
        assert analysis.unreadable == analysis.failing

    def test_compares_nothing_with_too_few_messages_on_a_side(self):
        trial = make_trial(50_000, Cause.VALUE)
        few_failing = [trial.failing[0].slice(0, MIN_FAILING - 1)]
        few_passing = [trial.passing[0].slice(0, MIN_PASSING - 1)]

        for failing, passing in ((few_failing, trial.passing), (trial.failing, few_passing)):
            sides = (SampledSide(side, side) for side in (LocalSide(failing), LocalSide(passing)))
            analysis = compare_sides(*sides)
            assert (analysis.is_comparable, analysis.findings) == (False, ())

    def test_counts_candidates_of_a_sample_over_all_messages(self):
        trial = make_trial(50_000, Cause.SENDER)
        sides = (
            SampledSide(LocalSide(batches), LocalSide(batches[:1]))
            for batches in (trial.failing, trial.passing)
        )

        analysis = compare_sides(*sides)

        assert is_named_first(trial, analysis)
        assert analysis.passing == sum(batch.num_rows for batch in trial.passing)
