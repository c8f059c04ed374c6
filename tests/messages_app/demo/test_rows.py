from messages_app.demo.rows import NULL, Rows, escaped, stamp, unescaped


class TestEscaped:
    def test_marks_what_copy_reads_as_its_own(self):
        assert escaped("a\tb\nc\\d\re") == "a\\tb\\nc\\\\d\\re"


class TestStamp:
    def test_is_a_time_with_its_zone(self):
        assert stamp(0.5) == "1970-01-01 00:00:00.500000+00:00"

    def test_is_null_without_a_time(self):
        assert stamp(None) == NULL


class TestRows:
    def test_gives_ids_out_of_one_row(self):
        rows = Rows(first_id=7)
        assert [rows.new_id(), rows.new_id(), rows.next_id] == ["7", "8", 9]

    def test_hands_over_what_was_collected_once(self):
        rows = Rows(first_id=1)
        rows.add("funnel", "1", "2", "A1")
        rows.add("funnel", "3", "2", NULL)
        assert rows.take() == {"funnel": "1\t2\tA1\n3\t2\t\\N\n"}
        assert rows.take() == {}


class TestUnescaped:
    def test_undoes_what_was_done_for_copy(self):
        text = "a\\b\tc\nd\re \\n"
        assert unescaped(escaped(text)) == text
