import pytest
from django.template import Context, Template, TemplateSyntaxError
from lxml import html

ROWS = [{"name": "a & b", "size": 1}, {"name": "c", "size": 2}]


def show(tags: str, **values: object) -> str:
    return Template(tags).render(Context(values))


def show_table(tags: str, **values: object) -> html.HtmlElement:
    return html.fromstring(show(tags, **values))


class TestTable:
    TAGS = (
        '{% table "Files" order="by name" id="files" for row in rows with size=row.size %}'
        '{% column "Name" class="u-code" %}{{ row.name }}{% endcolumn %}'
        '{% column "Size" label="Bytes" number %}{{ size }}{% endcolumn %}'
        "{% endtable %}"
    )

    def test_shows_a_row_for_each_object(self):
        table = show_table(self.TAGS, rows=ROWS)
        assert [head.text for head in table.iter("th")] == ["Name", "Size"]
        assert [cell.text for cell in table.iter("td")] == ["a & b", "1", "c", "2"]

    def test_names_the_box_and_the_caption(self):
        box = show_table(self.TAGS, rows=ROWS)
        assert dict(box.attrib) == {
            "class": "c-table-box",
            "id": "files",
            "tabindex": "0",
            "role": "region",
            "aria-label": "Files",
        }
        (caption,) = box.iter("caption")
        assert caption.text == "Files, by name"

    def test_marks_each_cell_for_narrow_windows(self):
        cells = list(show_table(self.TAGS, rows=ROWS[:1]).iter("td"))
        assert [dict(cell.attrib) for cell in cells] == [
            {"class": "u-code", "data-label": "Name"},
            {"class": "c-table-number", "data-label": "Bytes"},
        ]

    def test_unpacks_pairs(self):
        tags = (
            '{% table "Sizes" for name, size in rows %}'
            '{% column "Name" %}{{ name }}{% endcolumn %}{% column "Size" %}{{ size }}{% endcolumn %}'
            "{% endtable %}"
        )
        assert [cell.text for cell in show_table(tags, rows=[("a", 1), ("b", 2)]).iter("td")] == [
            "a",
            "1",
            "b",
            "2",
        ]

    def test_leaves_no_value_of_a_row_behind(self):
        assert show(self.TAGS + "[{{ row }}{{ size }}]", rows=ROWS).endswith("[]")

    @pytest.mark.parametrize("rows", [[], None, ()])
    def test_shows_only_the_empty_part_without_rows(self, rows):
        column = '{% column "Name" %}{% endcolumn %}'
        tags = f'{{% table "Files" for row in rows %}}{column}{{% empty %}}None.{{% endtable %}}'
        assert show(tags, rows=rows) == "None."

    @pytest.mark.parametrize(
        "tag",
        [
            '"Files"',
            '"Files" for row of rows',
            '"Files" for row in rows limit=3',
            '"Files" for row in rows with 3',
        ],
    )
    def test_rejects_another_form(self, tag):
        with pytest.raises(TemplateSyntaxError):
            Template(f"{{% table {tag} %}}{{% endtable %}}")


class TestColumn:
    def show_column(self, options: str, cell: str = "x", **values: object) -> html.HtmlElement:
        tags = f'{{% table "T" for row in rows %}}{{% column {options} %}}{cell}{{% endcolumn %}}'
        return show_table(tags + '{% column "Last" %}{% endcolumn %}{% endtable %}', rows=[1], **values)

    def test_hides_the_head_of_a_column_of_marks_from_sight(self):
        table = self.show_column('"Actions" unnamed')
        head, _ = table.iter("th")
        assert html.tostring(head) == b'<th scope="col"><span class="u-visually-hidden">Actions</span></th>'
        assert dict(next(table.iter("td")).attrib) == {}

    def test_names_its_rows(self):
        (cell,) = self.show_column('"Hour" naming').iterfind(".//tbody/tr/th")
        assert (cell.get("scope"), cell.text) == ("row", "x")

    def test_has_a_class_for_its_head(self):
        head, _ = self.show_column('"Hour" head="narrow" number').iter("th")
        assert head.get("class") == "narrow c-table-number"

    @pytest.mark.parametrize(("may", "heads"), [(True, ["Reason", "Last"]), (False, ["Last"])])
    def test_is_shown_under_a_condition(self, may, heads):
        table = self.show_column('"Reason" number if may and not other', may=may)
        assert [head.text for head in table.iter("th")] == heads
        assert len(list(table.iter("td"))) == len(heads)

    def test_keeps_an_empty_cell_empty(self):
        cell = next(self.show_column('"Reason"', "\n  {% if missing %}x{% endif %}\n").iter("td"))
        assert cell.text is None

    def test_escapes_a_title_from_data(self):
        head, _ = self.show_column("title", title="<b>").iter("th")
        assert head.text == "<b>"

    @pytest.mark.parametrize("option", ["wide", 'colour="red"'])
    def test_rejects_unknown_options(self, option):
        with pytest.raises(TemplateSyntaxError):
            self.show_column(f'"Name" {option}')
