from messages_app.payloads.viewer import hex_rows


class TestRows:
    def test_show_offset_bytes_and_plain_text(self):
        found = list(hex_rows("<až>\n0123456789abc".encode(), offset=32))
        assert found[0].offset == "00000020"
        assert found[0].octets == "3c 61 c5 be 3e 0a 30 31  32 33 34 35 36 37 38 39"
        assert found[0].text == "<a..>.0123456789"
        assert (found[1].offset, found[1].octets.rstrip(), found[1].text) == ("00000030", "61 62 63", "abc")
        assert len(found[1].octets) == 48
