from spark_tasks.analyses.comparison import (
    MAX_PASSING,
    MAX_SAMPLE,
    MAX_SLICES,
    SHARES,
    Comparison,
    Minute,
    Sample,
    choose_enough,
    choose_share,
    plan_comparison,
    split_samples,
    thin_samples,
)

START = 1_764_000_000 // 60 * 60


def minutes(service_name: str, *counts: int) -> dict[Minute, int]:
    """Return counts by minute from START on."""
    return {Minute(service_name, START + 60 * number): count for number, count in enumerate(counts) if count}


class TestPlanComparison:
    def test_takes_the_processed_messages_of_the_minutes_with_failures(self):
        plan = plan_comparison(minutes("billing", 2, 0, 2), minutes("billing", 100, 900, 100))

        assert plan == Comparison(
            (
                Sample("billing", START, START + 60, SHARES),
                Sample("billing", START + 120, START + 180, SHARES),
            ),
            200,
            0,
        )

    def test_takes_services_in_the_mix_of_the_failures(self):
        # One service has ten processed messages for each failing one, the other a thousand.
        failing = minutes("billing", 10) | minutes("order", 10)
        passing = minutes("billing", 100) | minutes("order", 10_000)

        billing, order = plan_comparison(failing, passing).samples

        assert billing.share == SHARES
        assert order.share == round(SHARES / 100)

    def test_ignores_a_tenth_of_the_failures_that_have_few_others_around_them(self):
        failing = minutes("billing", 95, 5)
        passing = minutes("billing", 9_500, 5)

        assert [sample.share for sample in plan_comparison(failing, passing).samples] == [SHARES, SHARES]

    def test_takes_the_nearest_minute_where_everything_failed(self):
        plan = plan_comparison(minutes("billing", 4, 0, 0, 9), minutes("billing", 0, 0, 300, 0))

        assert plan.samples == (Sample("billing", START + 120, START + 180, SHARES),)
        assert plan.uncompared == 0

    def test_takes_longer_slices_where_few_were_processed(self):
        plan = plan_comparison(minutes("billing", 6, 0, 0, 6), minutes("billing", 1, 29, 29, 1))

        assert plan == Comparison(
            (
                Sample("billing", START, START + 120, SHARES),
                Sample("billing", START + 120, START + 240, SHARES),
            ),
            60,
            0,
        )

    def test_keeps_short_slices_where_enough_were_processed(self):
        plan = plan_comparison(minutes("billing", 6, 0, 0, 6), minutes("billing", 100, 900, 900, 100))

        assert plan.samples == (
            Sample("billing", START, START + 60, SHARES),
            Sample("billing", START + 180, START + 240, SHARES),
        )

    def test_lets_services_be_in_another_mix_where_few_were_processed(self):
        failing = minutes("billing", 6) | minutes("order", 3)

        plan = plan_comparison(failing, minutes("billing", 40) | minutes("order", 1))

        assert [(sample.share, plan.messages) for sample in plan.samples] == [(SHARES, 41), (SHARES, 41)]

    def test_takes_messages_of_other_times_if_none_are_of_the_time(self):
        failing = {Minute("billing", START + 86_400): 50}

        plan = plan_comparison(failing, minutes("billing", *[4] * 100))

        assert plan.messages == 400
        assert plan.samples[0].start == START

    def test_counts_failures_of_a_service_that_processed_nothing(self):
        failing = minutes("billing", 4) | minutes("order", 3)

        plan = plan_comparison(failing, minutes("billing", 30))

        assert (len(plan.samples), plan.uncompared) == (1, 3)

    def test_is_empty_if_nothing_was_processed(self):
        assert plan_comparison(minutes("billing", 4), {}) == Comparison((), 0, 4)

    def test_takes_at_most_a_million(self):
        plan = plan_comparison(minutes("billing", 1_000), minutes("billing", 5_000_000))

        assert MAX_PASSING * 0.99 < plan.messages <= MAX_PASSING * 1.01

    def test_has_at_most_two_hundred_slices_of_whole_minutes(self):
        failing = {Minute("billing", START + 60 * number): 1 for number in range(0, 100_000, 7)}

        samples = plan_comparison(failing, failing).samples

        assert len(samples) <= MAX_SLICES
        assert {(sample.end - sample.start) % 60 for sample in samples} == {0}


class TestChooseEnough:
    def test_is_five_for_each_failing_message_within_limits(self):
        assert [choose_enough(failing) for failing in (1, 4, 12, 40, 1_000_000)] == [20, 20, 60, 200, 200]


class TestSamples:
    def test_are_thinned_to_a_hundred_thousand_messages(self):
        share = choose_share(1_000_000)

        assert share == -(-SHARES // 10)
        assert choose_share(MAX_SAMPLE) == choose_share(0) == SHARES
        assert thin_samples([Sample("billing", 0, 60, 500), Sample("billing", 60, 120, 3)], share) == [
            Sample("billing", 0, 60, 50),
            Sample("billing", 60, 120, 1),
        ]

    def test_are_dealt_out_to_tasks(self):
        samples = [Sample("billing", number, number + 1, 1) for number in range(5)]

        assert split_samples(samples, 2) == [samples[::2], samples[1::2]]
        assert split_samples(samples[:1], 2) == [samples[:1]]
        assert split_samples([], 2) == []
