from messages_app.payloads.text_markup import (
    break_address,
    break_name,
    break_value,
    colour_text,
    cut_id,
    mark_invisible,
    mark_name,
)


class TestMarked:
    def test_escapes_and_marks(self):
        assert mark_invisible("<b>\x1b") == '&lt;b&gt;<span class="c-unseen-mark">U+001B</span>'

    def test_marks_characters_that_change_the_direction_or_have_no_width(self):
        html = mark_invisible("\u202egpj.exe\u200b\ufeff\x85")
        for code in ("U+202E", "U+200B", "U+FEFF", "U+0085"):
            assert code in html

    def test_marks_a_run_once(self):
        assert mark_invisible("\x01" * 9 + "\x02") == (
            '<span class="c-unseen-mark">U+0001 ×9</span><span class="c-unseen-mark">U+0002</span>'
        )

    def test_marks_narrow_blanks_except_in_numbers_as_pages_write_them(self):
        assert mark_invisible("1\u202f234\u202f567 moved") == "1\u202f234\u202f567 moved"
        for text in ("1\u202f23", "a\u202f234", "1\u202f2345"):
            assert "U+202F" in mark_invisible(text)
        assert "U+202F" in mark_name("1\u202f234")

    def test_does_not_change_letters_and_line_ends(self):
        assert mark_invisible("ž\U0001f600\t\r\n") == "ž\U0001f600\t\r\n"


class TestCutId:
    def test_keeps_the_end_of_a_long_id_apart(self):
        assert cut_id("BILLING-D20261129-00000013") == (
            '<span class="u-id-start">BILLING-D2026112</span>9-00000013'
        )

    def test_does_not_cut_a_short_id(self):
        assert cut_id("BILLING-00000013") == "BILLING-00000013"

    def test_shortens_the_start_of_an_id_that_no_column_has_room_for(self):
        assert cut_id("a" * 300 + "0123456789") == f'<span class="u-id-start">{"a" * 100}</span>0123456789'

    def test_escapes_and_marks_both_parts(self):
        assert cut_id("<b>" + "x" * 20 + "\u200b") == (
            '<span class="u-id-start">&lt;b&gt;xxxxxxxxxxx</span>'
            'xxxxxxxxx<span class="c-unseen-mark" title="ZERO WIDTH SPACE">U+200B</span>'
        )


class TestBreakAddress:
    def test_breaks_after_the_parts_of_an_address(self):
        shown = break_address("spring-ws:https://billing.intra.example/ws/invoices")
        assert shown == "spring-ws:https://billing.intra.example/<wbr>ws/<wbr>invoices"

    def test_keeps_marks_whole(self):
        marked = mark_invisible("\u200b")
        assert break_address("a/b\u200b<i>") == f"a/<wbr>b{marked}&lt;i&gt;"


class TestBreakName:
    def test_breaks_after_the_words_of_a_name(self):
        assert break_name("HUB_POLL_<b>") == "HUB_<wbr>POLL_<wbr>&lt;b&gt;"

    def test_keeps_marks_whole(self):
        marked = mark_invisible("\u200b")
        assert break_name("a_\u200b") == f"a_<wbr>{marked}"


class TestBreakValue:
    def test_breaks_after_the_parts_of_an_address(self):
        shown = break_value("postgresql://***@db:5432/hub?sslmode=require&a=1")
        assert shown == (
            "postgresql://<wbr>***@<wbr>db:5432/<wbr>hub?<wbr>sslmode=<wbr>require&amp;<wbr>a=<wbr>1"
        )

    def test_breaks_after_the_parts_of_a_path_and_the_entries_of_a_list(self):
        assert break_value("/srv/hub/archive") == "/srv/<wbr>hub/<wbr>archive"
        assert break_value("127.0.0.1,localhost") == "127.0.0.1,<wbr>localhost"

    def test_breaks_after_the_parts_of_a_module(self):
        assert break_value("hub.objects.Reader") == "hub.<wbr>objects.<wbr>Reader"

    def test_keeps_marks_whole_and_escapes(self):
        assert break_value("a/\u200b<b>") == f"a/<wbr>{mark_invisible(chr(0x200B))}&lt;b&gt;"

    def test_shows_an_empty_value_as_empty(self):
        assert break_value("") == ""


class TestColoured:
    def test_puts_a_text_into_a_span(self):
        assert colour_text("t", "<a>") == '<span class="t">&lt;a&gt;</span>'

    def test_uses_no_span_without_a_colour(self):
        assert colour_text("", "x") == "x"
