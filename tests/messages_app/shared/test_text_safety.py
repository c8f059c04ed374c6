import pytest

from messages_app.shared.text_safety import is_masked, masked_address


class TestMaskedAddress:
    @pytest.mark.parametrize(
        ("address", "shown"),
        [
            ("http://crm.example/ws", "http://crm.example/ws"),
            ("direct:billing", "direct:billing"),
            ("confirmation", "confirmation"),
            ("", ""),
            ("http://u:pw@h/p?tok=x", "http://•••@h/p?tok=•••"),
            ("http://u:p@w@h:8443/p", "http://•••@h:8443/p"),
            ("spring-ws:http://u:pw@h/p", "spring-ws:http://•••@h/p"),
            ("sftp:u:pw@h/dir", "sftp:u:•••@h/dir"),
            ("HTTPS://u@h", "HTTPS://•••@h"),
            ("//u:pw@h/", "//•••@h/"),
            ("u:pw@h/", "u:•••@h/"),
            ("http://h/users/a@b.example", "http://h/users/a@b.example"),
            ("http://h/p?a=1&b=&c", "http://h/p?a=•••&b=•••&•••"),
            ("http://h/p?a=1;b=2=3", "http://h/p?a=•••;b=•••"),
            ("http://h/p?password=RAW(a&b?c=d)", "http://h/p?password=•••"),
            ("sftp:h/d?a=1&password=RAW{x#y&z}&b=2", "sftp:h/d?a=•••&password=•••#•••"),
            ("http://h/p;jsessionid=x/q;v=1?a=1", "http://h/p;jsessionid=•••/q;v=•••?a=•••"),
            ("http://h/p#access_token=x", "http://h/p#•••"),
            ("http://h/p?#", "http://h/p?#•••"),
            ("http://u:pw@h", "http://•••@h"),
            ("http://[broken:pw@h/?a=1", "http://•••@h/?a=•••"),
            ("žluť://u:ů@h/?č=ž", "žluť://•••@h/?č=•••"),
        ],
    )
    def test_shows_no_part_that_may_be_a_credential(self, address, shown):
        assert masked_address(address) == shown

    def test_does_not_change_masked_text(self):
        shown = masked_address("http://u:pw@h/p;s=1?tok=x&y#z")
        assert masked_address(shown) == shown

    def test_takes_no_longer_for_hostile_addresses(self):
        for part in ("a:", "@", ";", ";=", "&", "a.", "//", "?"):
            masked_address(part * 20_000)


class TestIsMasked:
    def test_distinguishes_addresses_with_credentials_from_others(self):
        assert is_masked("http://crm.example/ws")
        assert is_masked("http://•••@h/p?tok=•••")
        assert not is_masked("http://h/p?tok=x")
