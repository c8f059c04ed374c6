from messages_app.core.charts.bars import Bar, make_bars, make_shares


class TestShares:
    def test_are_consecutive(self):
        found = make_shares([("a", 2), ("b", 1)], whole=8)
        assert [(share.name, share.start, share.width) for share in found] == [("a", 0, 25), ("b", 25, 12.5)]


class TestBars:
    def test_are_as_wide_as_their_share_of_the_largest(self):
        assert [bar.width for bar in make_bars([("a", 4, ""), ("b", 1, "")])] == [100, 25]

    def test_keep_their_labels_counts_and_queries(self):
        assert make_bars([("a", 4, "?a"), ("b", 3, "?b")]) == [
            Bar(label="a", count=4, width=100, query="?a"),
            Bar(label="b", count=3, width=75, query="?b"),
        ]

    def test_may_all_be_nothing(self):
        assert make_bars([("a", 0, "")])[0].width == 0
