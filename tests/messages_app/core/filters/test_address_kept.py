import pytest

from messages_app.core.filters.address import as_query, is_storable


class TestAsQuery:
    def test_writes_each_value_as_an_address_has_it(self):
        query = as_query({"state": ["A", "B"], "archived": True, "parent": 7, "name": "a b"})
        assert query.urlencode() == "state=A&state=B&archived=true&parent=7&name=a+b"


class TestIsStorable:
    @pytest.mark.parametrize(("text", "expected"), [("ü", True), ("", True), ("\ud800", False)])
    def test_is_what_utf_8_can_write(self, text, expected):
        assert is_storable(text) is expected
