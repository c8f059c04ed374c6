import random

import pytest

from messages_app.jobs.preview.estimates import (
    Estimate,
    estimate_rows,
    mean_of,
    round_estimate,
    share_of,
    sum_estimates,
)


def estimate(least: float, about: float, most: float) -> Estimate:
    return Estimate(least=least, about=about, most=most)


class TestEstimate:
    @pytest.mark.parametrize(
        ("least", "about", "most", "is_close"),
        [
            (100, 100, 100, True),
            (95, 100, 105, True),
            (90, 100, 105, False),
            (95, 100, 112, False),
            (0, 0, 9, False),
        ],
    )
    def test_is_close_if_one_number_is_within_a_tenth_of_all_possible_values(
        self, least, about, most, is_close
    ):
        found = estimate(least, about, most)
        assert found.is_close == is_close
        assert not is_close or all(abs(found.shown_rows - true) <= 0.1 * true for true in (least, most))

    def test_is_shown_as_an_upper_bound_if_it_is_not_close(self):
        assert estimate(16_765, 16_765, 16_765).shown_rows == 16_765
        assert estimate(16_000, 16_765, 17_400).shown_rows == 16_800
        assert estimate(11_949, 16_765, 19_101).bounds == (11_000, 20_000)
        assert estimate(11_949, 16_765, 19_101).shown_rows == 20_000
        assert estimate(0, 3, 11.2).bounds == (0, 12)

    def test_adds_up_bounds_and_multiplies_deviations(self):
        assert sum_estimates([estimate(1, 2, 4), estimate(10, 10, 10)]) == estimate(11, 12, 14)
        assert estimate(100, 100, 100) * estimate(0.4, 0.5, 0.75) == estimate(40, 50, 75)
        product = estimate(97, 100, 103) * estimate(0.96, 1, 1.04)
        assert (product.least, product.most) == (pytest.approx(95), pytest.approx(105))
        assert estimate(0, 0, 6) * estimate(0, 0.5, 1) == estimate(0, 0, 6)


@pytest.mark.parametrize(
    ("number", "shown"), [(7, 7), (999, 999), (16_765, 16_800), (1_234_567, 1_230_000), (0, 0)]
)
def test_rounds_to_three_digits(number, shown):
    assert round_estimate(number) == shown


class TestEstimateRows:
    def test_is_exact_if_every_page_was_read(self):
        assert estimate_rows([3, 5], share=1, rows_a_page=8) == estimate(8, 8, 8)

    def test_gives_an_upper_bound_if_none_was_found(self):
        found = estimate_rows([], share=0.1, rows_a_page=8)
        assert (found.least, found.about) == (0, 0)
        assert 400 < found.most < 800

    def test_is_never_lower_than_the_number_found(self):
        assert estimate_rows([8], share=0.001, rows_a_page=8).least == 8

    def test_widens_its_bounds_by_the_pages_that_were_not_read(self):
        many = estimate_rows([4] * 16, share=0.25, rows_a_page=9)
        assert (many.least, many.about, many.most) == pytest.approx((110.82, 256, 496.12), abs=0.01)
        # From fewer than ten pages, each other page may be full.
        few = estimate_rows([4] * 4, share=0.25, rows_a_page=9)
        assert (few.least, few.about, few.most) == pytest.approx((16, 64, 410.11), abs=0.01)
        full = estimate_rows([4] * 10, share=0.25, rows_a_page=900)
        assert full.most < estimate_rows([4] * 9, share=0.25, rows_a_page=900).most

    @pytest.mark.parametrize("rows", ["alike", "one spike", "few pages", "of all sizes"])
    @pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
    def test_has_the_true_value_within_its_bounds_for_any_pages(self, rows, share):
        chance = random.Random(7)  # noqa: S311
        draw = {
            "alike": lambda: 8,
            "one spike": lambda: 60 if chance.random() < 0.05 else 0,
            "few pages": lambda: 3 if chance.random() < 0.002 else 0,
            "of all sizes": lambda: int(chance.paretovariate(1)) % 60,
        }[rows]
        pages = [draw() for _ in range(20_000)]
        missed = 0
        for _ in range(40):
            seen = [number for number in pages if chance.random() < share and number]
            found = estimate_rows(seen, share=share, rows_a_page=60)
            missed += not found.least <= sum(pages) <= found.most
        assert missed <= 1


class TestShareOf:
    def test_is_exact_for_the_whole(self):
        assert share_of(3, 4, looked_at=4, is_whole=True) == estimate(0.75, 0.75, 0.75)

    def test_allows_a_margin_if_the_sample_is_small(self):
        found = share_of(20, 20, looked_at=20, is_whole=False)
        assert (found.about, found.most) == (1, 1)
        assert 0.5 < found.least < 0.7

    def test_is_unknown_without_a_sample(self):
        assert share_of(0, 0, looked_at=0, is_whole=False) == estimate(0, 1, 1)


def test_the_mean_of_a_sample_is_within_its_bounds():
    assert mean_of([1, 1, 4], is_whole=True) == estimate(2, 2, 2)
    assert mean_of([1.0] * 50, is_whole=False) == estimate(1, 1, 1)
    found = mean_of([1, 2] * 50, is_whole=False)
    assert found.about == 1.5
    assert 1.3 < found.least < 1.4 < 1.6 < found.most < 1.7
    three = mean_of([10, 14, 12], is_whole=False)
    assert (three.least, three.about, three.most) == pytest.approx((8.1895, 12, 15.8105), abs=0.001)
    two = mean_of([1, 4], is_whole=False)
    assert (two.least, two.about, two.most) == pytest.approx((0, 2.5, 7.45))
    assert mean_of([5], is_whole=False) == estimate(5, 5, 5)
