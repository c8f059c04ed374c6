from messages_app.core.charts.bars import bars, shares


class TestShares:
    def test_are_consecutive(self):
        found = shares([("a", 2), ("b", 1)], whole=8)
        assert [(share.name, share.start, share.width) for share in found] == [("a", 0, 25), ("b", 25, 12.5)]


class TestBars:
    def test_are_as_wide_as_their_share_of_the_largest(self):
        assert [bar.width for bar in bars([("a", 4, ""), ("b", 1, "")])] == [100, 25]

    def test_may_all_be_nothing(self):
        assert bars([("a", 0, "")])[0].width == 0
