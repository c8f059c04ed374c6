from messages_app.messages.detail.detail import SHOWN_CHARS, Column


class TestColumn:
    def test_is_shown_whole_up_to_a_bound(self):
        column = Column("custom_data", "x" * SHOWN_CHARS)
        assert (column.shown, column.is_cut) == (column.value, False)

    def test_is_cut_beyond_it(self):
        column = Column("custom_data", "x" * (SHOWN_CHARS + 1))
        assert (len(column.shown), column.is_cut) == (SHOWN_CHARS, True)

    def test_is_shown_as_it_is_if_it_is_not_a_text(self):
        assert (Column("failed_count", 0).shown, Column("failed_count", 0).is_cut) == (0, False)
