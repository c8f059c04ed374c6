from messages_app.core.lists.table import Column, Columns

COLUMNS = Columns(
    first=Column(name="state", title="State"),
    others=(
        Column(name="sent", title="Sent", is_default=True),
        Column(name="age", title="Age", is_default=True),
        Column(name="note", title="Note"),
    ),
)


class TestColumns:
    def test_has_some_to_choose_and_some_that_everyone_sees_at_first(self):
        assert COLUMNS.names == {"sent", "age", "note"}
        assert COLUMNS.default_names == {"sent", "age"}

    def test_makes_a_table_in_its_own_order_with_the_first_before_all(self):
        table = COLUMNS.table({"age", "sent"}, is_compact=True)
        assert [column.name for column in table.columns] == ["state", "sent", "age"]
        assert (table.is_compact, table.is_wide) == (True, False)

    def test_omits_unknown_columns(self):
        assert COLUMNS.table({"gone"}, is_compact=False).names == {"state"}

    def test_makes_a_wide_table_of_more_than_fits(self):
        assert COLUMNS.table({"sent", "note"}, is_compact=False).is_wide
