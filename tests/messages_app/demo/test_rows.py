from messages_app.demo.rows import NULL, Rows, escape_value, stamp, unescape_value


class TestEscaped:
    def test_escapes_characters_with_a_meaning_for_copy(self):
        assert escape_value("a\tb\nc\\d\re") == "a\\tb\\nc\\\\d\\re"


class TestStamp:
    def test_is_a_time_with_its_zone(self):
        assert stamp(0.5) == "1970-01-01 00:00:00.500000+00:00"

    def test_is_the_nearest_time_that_python_has(self):
        assert stamp(float("inf")) == "9999-12-31 23:59:59+00:00"
        assert stamp(3.2e11) == "9999-12-31 23:59:59+00:00"
        assert stamp(float("-inf")) == "0001-01-01 00:00:00+00:00"

    def test_is_null_without_a_time(self):
        assert stamp(None) == NULL


class TestRows:
    def test_assigns_ids_from_one_counter(self):
        rows = Rows(first_id=7)
        assert [rows.new_id(), rows.new_id(), rows.next_id] == ["7", "8", 9]

    def test_returns_collected_rows_once(self):
        rows = Rows(first_id=1)
        rows.add("funnel", "1", "2", "A1")
        rows.add("funnel", "3", "2", NULL)
        assert rows.take() == {"funnel": "1\t2\tA1\n3\t2\t\\N\n"}
        assert rows.take() == {}


class TestUnescaped:
    def test_reverts_the_escaping_for_copy(self):
        text = "a\\b\tc\nd\re \\n"
        assert unescape_value(escape_value(text)) == text
