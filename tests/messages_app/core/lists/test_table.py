import pytest

from messages_app.core.lists.table import Column, Columns, Offered, Sorting, Table

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
        table = COLUMNS.choose_columns({"age", "sent"}, is_compact=True)
        assert [column.name for column in table.columns] == ["state", "sent", "age"]
        assert (table.is_compact, table.is_wide) == (True, False)

    def test_omits_unknown_columns(self):
        assert COLUMNS.choose_columns({"gone"}, is_compact=False).names == {"state"}

    def test_makes_a_wide_table_of_more_than_fits(self):
        assert COLUMNS.choose_columns({"sent", "note"}, is_compact=False).is_wide


def show_column(orders: Offered | None = None, **options: object) -> tuple[str, str]:
    """Return the head of a column and a cell of it."""
    column = Column(**{"title": "Sent", **options})
    return str(column.show_head(orders)), str(column.show_cell("<now>"))


class TestColumn:
    def test_labels_its_cells_with_its_head(self):
        assert show_column() == ('<th scope="col">Sent</th>', '<td data-label="Sent">&lt;now&gt;</td>')
        assert show_column(label="At")[1] == '<td data-label="At">&lt;now&gt;</td>'

    def test_has_classes_by_its_name_and_by_its_kind(self):
        assert show_column(name="sent", css_class="u-clip", head_class="low", is_number=True) == (
            '<th scope="col" class="c-rows-sent low c-table-number">Sent</th>',
            '<td class="c-rows-sent u-clip c-table-number" data-label="Sent">&lt;now&gt;</td>',
        )

    def test_shows_the_title_of_marks_only_to_screen_readers(self):
        assert show_column(is_mark=True, hint="Sent at") == (
            '<th scope="col" title="Sent at"><span class="u-visually-hidden">Sent</span></th>',
            "<td>&lt;now&gt;</td>",
        )

    def test_explains_a_head_as_terms_do(self):
        assert show_column(hint='Since "noon"')[0] == (
            '<th scope="col"><button type="button" class="c-term" data-meaning="Since &quot;noon&quot;">'
            "Sent</button></th>"
        )

    def test_has_a_tooltip_for_a_head_that_offers_an_order(self):
        sorting = Sorting(query="?ordering=sent", direction="descending", is_on=False)
        assert show_column(sorting=sorting, hint="Sent at")[0] == (
            '<th scope="col" title="Sent at" aria-sort="none"><a href="?ordering=sent">Sent</a></th>'
        )

    def test_names_rows(self):
        assert show_column(is_row_head=True)[1] == '<th scope="row" data-label="Sent">&lt;now&gt;</th>'

    def test_has_a_tooltip_for_a_cell(self):
        cell = Column(title="Sent").show_cell(3, hint='"x"')
        assert cell == '<td data-label="Sent" title="&quot;x&quot;">3</td>'

    @pytest.mark.parametrize(
        ("direction", "arrow"), [("descending", " ↓"), ("ascending", " ↑"), ("none", "")]
    )
    def test_reverses_the_order_by_its_head(self, direction, arrow):
        orders = Offered(links=[], words="Newest first", direction=direction, turned="?ordering=sent")
        head = f'<th scope="col" aria-sort="{direction}"><a href="?ordering=sent">Sent{arrow}</a></th>'
        assert show_column(orders, is_sorted=True)[0] == head
        assert show_column(orders)[0] == '<th scope="col">Sent</th>'


class TestTable:
    def test_has_its_order_in_its_caption(self):
        assert Table(columns=(), title="Files", order="by name").caption == "Files, by name"
        assert Table(columns=(), title="Files").caption == "Files"

    def test_puts_a_cell_into_each_column(self):
        table = Table(columns=(Column(title="Name"), Column(title="Actions", is_mark=True)))
        assert table.show_row(["<b>a</b>\n", "  "]) == '<tr><td data-label="Name"><b>a</b></td><td></td></tr>'
