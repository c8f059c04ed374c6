import pytest

from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.views.create.forms import (
    TYPED_FROM,
    Confirmation,
    InvalidConfirmation,
    new_confirmation,
    open_confirmation,
)


def page(*, to_do: int, least: int | None = None, most: int | None = None) -> Confirmation:
    number = Estimate(
        least=to_do if least is None else least, about=to_do, most=to_do if most is None else most
    )
    return new_confirmation(kind="restart", filter={"state": "FAILED"}, about={}, to_do=number)


class TestShown:
    @pytest.mark.parametrize(
        ("numbers", "confirmed", "to_type"),
        [
            ({"to_do": 0}, 0, None),
            ({"to_do": TYPED_FROM - 1}, TYPED_FROM - 1, None),
            ({"to_do": TYPED_FROM}, TYPED_FROM, TYPED_FROM),
            ({"to_do": 12_431}, 12_431, 12_431),
            ({"to_do": 12_431, "least": 12_000, "most": 13_000}, 12_400, 12_400),
            ({"to_do": 12_431, "least": 9_000, "most": 16_200}, 17_000, 17_000),
            ({"to_do": 5, "least": 0, "most": 1_020}, 1_100, 1_100),
        ],
    )
    def test_names_the_number_that_is_confirmed_and_whether_it_is_typed(self, numbers, confirmed, to_type):
        assert (page(**numbers).confirmed, page(**numbers).to_type) == (confirmed, to_type)

    @pytest.mark.parametrize("text", ["12431", "12 431", "12,431", "12.431", " 12\u202f431 "])
    def test_accepts_a_number_as_people_write_it(self, text):
        assert page(to_do=12_431).number_form({"typed": text}).is_valid()

    @pytest.mark.parametrize("text", ["", "12430", "all", "1243 1x", "-12431"])
    def test_accepts_no_other_number(self, text):
        form = page(to_do=12_431).number_form({"typed": text})
        assert form.errors == {"typed": ["Type 12431 to confirm."]}

    def test_asks_for_no_small_number(self):
        assert page(to_do=5).number_form() is None


class TestOpened:
    def test_returns_the_sealed_value(self):
        seen = page(to_do=5)
        assert open_confirmation(seen.seal()) == (seen, False)

    @pytest.mark.parametrize("text", ["", "x", "a:b:c"])
    def test_refuses_values_that_the_console_did_not_write(self, text):
        with pytest.raises(InvalidConfirmation):
            open_confirmation(text)

    def test_refuses_changed_values(self):
        sealed = page(to_do=5).seal()
        with pytest.raises(InvalidConfirmation):
            open_confirmation(sealed[:-1] + ("a" if sealed[-1] != "a" else "b"))
