import pytest

from messages_app.jobs.starting.confirming import TYPED_FROM, NotShown, Shown, opened, rounded, shown


def page(*, to_do: int, is_exact: bool = True) -> Shown:
    filter = {"state": "FAILED"}
    return shown(kind="restart", filter=filter, about={}, planned=to_do, to_do=to_do, is_exact=is_exact)


class TestShown:
    @pytest.mark.parametrize(
        ("to_do", "is_exact", "number"),
        [
            (TYPED_FROM - 1, True, None),
            (TYPED_FROM, True, TYPED_FROM),
            (12_431, True, 12_431),
            (12_431, False, 12_000),
            (1_250_001, False, 1_300_000),
        ],
    )
    def test_names_the_number_to_be_typed(self, to_do, is_exact, number):
        assert page(to_do=to_do, is_exact=is_exact).to_type == number

    @pytest.mark.parametrize("text", ["12431", "12 431", "12,431", "12.431", " 12\u202f431 "])
    def test_takes_a_number_as_people_write_it(self, text):
        assert page(to_do=12_431).is_typed(text)

    @pytest.mark.parametrize("text", ["", "12430", "all", "1243 1x", "-12431"])
    def test_takes_no_other(self, text):
        assert not page(to_do=12_431).is_typed(text)


class TestOpened:
    def test_gives_back_what_was_sealed(self):
        seen = page(to_do=5)
        assert opened(seen.sealed()) == (seen, False)

    @pytest.mark.parametrize("text", ["", "x", "a:b:c"])
    def test_refuses_what_the_console_did_not_write(self, text):
        with pytest.raises(NotShown):
            opened(text)

    def test_refuses_what_was_changed(self):
        sealed = page(to_do=5).sealed()
        with pytest.raises(NotShown):
            opened(sealed[:-1] + ("a" if sealed[-1] != "a" else "b"))


class TestRounded:
    @pytest.mark.parametrize(
        ("number", "text"), [(0, 0), (7, 7), (45, 45), (1_234, 1_200), (99_900, 100_000)]
    )
    def test_keeps_two_digits(self, number, text):
        assert rounded(number) == text
