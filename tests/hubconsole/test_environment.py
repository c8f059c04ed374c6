import subprocess
import sys
from ssl import CERT_REQUIRED

import pytest
from kombu import Connection

from hubconsole.environment import (
    decimal_number,
    hub_sign,
    mask_address,
    minutes_or_off,
    one_of,
    read_database,
    read_flag,
    read_names,
    read_networks,
    read_origins,
    read_range_files,
    read_webhook_secrets,
    some_of,
    verify_brokers,
    whole_number,
    whole_number_if_set,
)

NAME = "HUBCONSOLE_IDLE_MINUTES"
NETWORKS = "HUBCONSOLE_WEBHOOK_NETWORKS"
WEBHOOK_SECRET = "HUBCONSOLE_WEBHOOK_SECRET"
SECRET = "whsec_" + "c2VjcmV0" * 4


class TestFlag:
    def test_stops_the_start_at_unknown_values(self, monkeypatch):
        monkeypatch.setenv("DJANGO_DEBUG", "maybe")
        with pytest.raises(SystemExit, match="hubconsole: DJANGO_DEBUG must be 1 or 0, not 'maybe'"):
            read_flag("DJANGO_DEBUG")


class TestNames:
    def test_omits_blanks(self, monkeypatch):
        monkeypatch.setenv("DJANGO_ALLOWED_HOSTS", " a, ,b ")
        assert read_names("DJANGO_ALLOWED_HOSTS") == ["a", "b"]


class TestNetworks:
    def test_accepts_networks_and_addresses_of_both_kinds(self, monkeypatch):
        monkeypatch.setenv(NETWORKS, "10.1.0.0/16, 127.0.0.1,fd00:7::/64")
        assert [str(each) for each in read_networks(NETWORKS)] == [
            "10.1.0.0/16",
            "127.0.0.1/32",
            "fd00:7::/64",
        ]
        monkeypatch.setenv(NETWORKS, "")
        assert read_networks(NETWORKS) == []

    @pytest.mark.parametrize("text", ["10.1.2.3/16", "10.1.0.0/33", "hooks.example", "10.1", "0x7f.1", "٣"])
    def test_stops_the_start_naming_the_setting_and_the_word(self, monkeypatch, text):
        monkeypatch.setenv(NETWORKS, f"10.2.0.0/16,{text}")
        with pytest.raises(SystemExit, match=f"hubconsole: {NETWORKS} must be addresses and .*{text}"):
            read_networks(NETWORKS)


class TestWebhookSecrets:
    @pytest.mark.parametrize(
        ("text", "secrets"),
        [("", []), (SECRET, [SECRET]), (f"{SECRET}AAAA, {SECRET}", [f"{SECRET}AAAA", SECRET])],
    )
    def test_are_one_or_two_of_the_specification(self, monkeypatch, text, secrets):
        monkeypatch.setenv(WEBHOOK_SECRET, text)
        assert read_webhook_secrets(WEBHOOK_SECRET) == secrets

    @pytest.mark.parametrize(
        "text",
        [
            "between us",
            SECRET.removeprefix("whsec_"),
            "whsec_" + "c2VjcmV0" * 3,  # 18 bytes
            "whsec_" + "c2VjcmV0" * 11,  # 66 bytes
            "whsec_" + "c2VjcmV" * 5,  # padding is missing
            f"{SECRET}é",
            f"{SECRET},{SECRET},{SECRET}",
        ],
    )
    def test_stop_the_start_without_showing_the_value(self, monkeypatch, text):
        monkeypatch.setenv(WEBHOOK_SECRET, text)
        with pytest.raises(SystemExit) as stopped:
            read_webhook_secrets(WEBHOOK_SECRET)
        assert str(stopped.value).startswith(f"hubconsole: {WEBHOOK_SECRET} must be whsec_ and 24 to 64")
        assert "c2Vjcm" not in str(stopped.value)


class TestMinutesOrOff:
    @pytest.mark.parametrize(("text", "minutes"), [("", 15), (" ", 15), ("0", 0), ("3", 3), ("720", 720)])
    def test_reads_what_is_within_bounds(self, monkeypatch, text, minutes):
        monkeypatch.setenv(NAME, text)
        assert minutes_or_off(NAME, 15, least=3, most=720) == minutes

    @pytest.mark.parametrize("text", ["2", "721", "-1", "1.5", "off", "٣", "9" * 5000])
    def test_stops_the_start_at_anything_else(self, monkeypatch, text):
        monkeypatch.setenv(NAME, text)
        with pytest.raises(SystemExit, match=f"hubconsole: {NAME} must be 0 or a whole number of minutes"):
            minutes_or_off(NAME, 15, least=3, most=720)


class TestOneOf:
    def test_is_the_first_if_nothing_is_set(self, monkeypatch):
        monkeypatch.setenv("HUB_RULES", "")
        assert one_of("HUB_RULES", ("cleverbus", "openhub")) == "cleverbus"

    def test_stops_the_start_at_another_word(self, monkeypatch):
        monkeypatch.setenv("HUBCONSOLE_SECOND_FACTOR", "always")
        words = "HUBCONSOLE_SECOND_FACTOR must be offered, required or off, not 'always'"
        with pytest.raises(SystemExit, match=words):
            one_of("HUBCONSOLE_SECOND_FACTOR", ("offered", "required", "off"))


class TestHubSign:
    NAME, COLOUR = "HUBCONSOLE_HUB_NAME", "HUBCONSOLE_HUB_COLOUR"

    def sign(self, monkeypatch, name: str, colour: str) -> tuple[str, str]:
        monkeypatch.setenv(self.NAME, name)
        monkeypatch.setenv(self.COLOUR, colour)
        return hub_sign(self.NAME, self.COLOUR, ("grey", "red", "green"))

    @pytest.mark.parametrize(
        ("name", "colour", "sign"),
        [
            ("", "", ("", "grey")),
            ("Test", "", ("Test", "grey")),
            (" Výroba  1 ", "red", ("Výroba 1", "red")),
            ("x" * 40, "green", ("x" * 40, "green")),
        ],
    )
    def test_is_a_name_and_a_colour(self, monkeypatch, name, colour, sign):
        assert self.sign(monkeypatch, name, colour) == sign

    def test_stops_the_start_at_another_colour(self, monkeypatch):
        words = "HUBCONSOLE_HUB_COLOUR must be grey, red or green, not 'pink'"
        with pytest.raises(SystemExit, match=words):
            self.sign(monkeypatch, "Test", "pink")

    @pytest.mark.parametrize("name", ["x" * 41, "a\x07b", "a\u202eb"])
    def test_stops_the_start_at_a_name_that_does_not_fit(self, monkeypatch, name):
        with pytest.raises(SystemExit, match="HUBCONSOLE_HUB_NAME must have up to 40 printable characters"):
            self.sign(monkeypatch, name, "")

    def test_stops_the_start_at_a_colour_without_a_name(self, monkeypatch):
        with pytest.raises(SystemExit, match="HUBCONSOLE_HUB_COLOUR needs HUBCONSOLE_HUB_NAME"):
            self.sign(monkeypatch, "", "red")


class TestWholeNumber:
    @pytest.mark.parametrize(("text", "value"), [("", 7), ("1", 1), (" 1000 ", 1000)])
    def test_accepts_a_number_or_the_default(self, monkeypatch, text, value):
        monkeypatch.setenv(NAME, text)
        assert whole_number(NAME, default=7) == value

    @pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "1e3", "²", "9" * 400])
    def test_stops_the_start_naming_the_setting(self, monkeypatch, text):
        monkeypatch.setenv(NAME, text)
        with pytest.raises(SystemExit, match=f"hubconsole: {NAME} must be a whole number"):
            whole_number(NAME, default=7)

    def test_if_set_is_empty_otherwise(self, monkeypatch):
        monkeypatch.setenv(NAME, " ")
        assert whole_number_if_set(NAME) is None
        monkeypatch.setenv(NAME, "12")
        assert whole_number_if_set(NAME) == 12
        monkeypatch.setenv(NAME, "0")
        with pytest.raises(SystemExit, match=f"{NAME} must be a whole number"):
            whole_number_if_set(NAME)


class TestDecimalNumber:
    @pytest.mark.parametrize(("text", "value"), [("", 60.0), ("0.5", 0.5), (" 3 ", 3.0), ("0", 0.0)])
    def test_accepts_a_number_or_the_default(self, monkeypatch, text, value):
        monkeypatch.setenv(NAME, text)
        assert decimal_number(NAME, default=60) == value

    @pytest.mark.parametrize("text", ["-1", "many", "1e3", "nan", "inf", "1,5", "²", "9" * 400])
    def test_stops_the_start_naming_the_setting(self, monkeypatch, text):
        monkeypatch.setenv(NAME, text)
        with pytest.raises(SystemExit, match=f"hubconsole: {NAME} must be a number such as 30"):
            decimal_number(NAME, default=60)


class TestNotes:
    def test_are_of_the_first_reading(self, monkeypatch):
        notes: dict[str, tuple[str, str]] = {}
        monkeypatch.setattr("hubconsole.readings.READINGS", notes)
        whole_number("HUBCONSOLE_EXAMPLE", default=7)
        one_of("HUBCONSOLE_EXAMPLE", ("a", "b"))
        one_of("HUBCONSOLE_OTHER", ("a", "b"))
        read_origins("HUBCONSOLE_ADDRESSES")
        assert notes == {
            "HUBCONSOLE_EXAMPLE": ("whole number from 1", "`7`"),
            "HUBCONSOLE_OTHER": ("`a`, `b`", "`a`"),
            "HUBCONSOLE_ADDRESSES": ("addresses, comma-separated", ""),
        }


class TestRangeFiles:
    NAME = "HUBCONSOLE_BREACHED_PASSWORDS"

    def test_are_a_folder_with_the_first_of_them(self, monkeypatch, tmp_path):
        monkeypatch.setenv(self.NAME, f" {tmp_path} ")
        with pytest.raises(SystemExit, match=f"{self.NAME} must be a folder with the files 00000.txt to"):
            read_range_files(self.NAME)
        (tmp_path / "00000.txt").touch()
        assert read_range_files(self.NAME) == tmp_path

    def test_may_be_missing(self, monkeypatch):
        monkeypatch.delenv(self.NAME, raising=False)
        assert read_range_files(self.NAME) is None


class TestOrigins:
    def test_are_read_in_small_letters(self, monkeypatch):
        monkeypatch.setenv(NAME, "https://Hub.example.org, https://hub.example.org:8443")
        assert read_origins(NAME) == ["https://hub.example.org", "https://hub.example.org:8443"]

    @pytest.mark.parametrize(
        "text",
        ["hub.example.org", "http://hub.example.org", "https://hub.example.org/", "https://*.example.org"],
    )
    def test_stop_the_start_if_they_are_not_addresses(self, monkeypatch, text):
        monkeypatch.setenv(NAME, text)
        with pytest.raises(SystemExit, match=f"{NAME} must be addresses such as"):
            read_origins(NAME)


class TestSomeOf:
    def test_reads_words_of_the_choices(self, monkeypatch):
        assert some_of(NAME, ("database", "broker")) == []
        monkeypatch.setenv(NAME, "broker, database")
        assert some_of(NAME, ("database", "broker")) == ["broker", "database"]
        monkeypatch.setenv(NAME, "broker,all")
        with pytest.raises(SystemExit, match=f"{NAME} must be a list of database, broker, not 'all'"):
            some_of(NAME, ("database", "broker"))


class TestVerifyBrokers:
    @pytest.mark.parametrize(
        ("address", "verified"),
        [
            ("redis://h/0", "redis://h/0"),
            ("amqps://h//", "amqps://h//"),
            ("rediss://h/0", "rediss://h/0?ssl_cert_reqs=required"),
            ("rediss://h/0?ssl_ca_certs=/ca", "rediss://h/0?ssl_ca_certs=/ca&ssl_cert_reqs=required"),
            ("rediss://h/0?ssl_cert_reqs=none", "rediss://h/0?ssl_cert_reqs=none"),
            (
                "rediss://a/0;rediss://b/0",
                "rediss://a/0?ssl_cert_reqs=required;rediss://b/0?ssl_cert_reqs=required",
            ),
        ],
    )
    def test_checks_certificates_unless_the_address_forbids_it(self, address, verified):
        assert verify_brokers(address) == verified
        certificates = [Connection(each).ssl for each in verified.split(";")]
        if "rediss" in address and "none" not in address:
            assert all(each["ssl_cert_reqs"] == CERT_REQUIRED for each in certificates)


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("HUBCONSOLE_BULK_GUARD", "two"),
            ("HUBCONSOLE_CP_LOG_DAYS", "a month"),
            ("HUBCONSOLE_STORE_INTERVAL", "1m"),
            ("HUBCONSOLE_BULK_GUARD_FROM", "many"),
            ("HUBCONSOLE_BULK_GUARD_HOURS", "0"),
        ],
    )
    def test_stop_the_start_with_one_line_that_names_what_is_wrong(self, monkeypatch, name, text):
        monkeypatch.setenv(name, text)
        start = [sys.executable, "-c", "import hubconsole.settings"]
        ended = subprocess.run(start, capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert ended.stderr.startswith(f"hubconsole: {name} must be")
        assert len(ended.stderr.splitlines()) == 1


class TestDatabase:
    def test_of_several_servers_is_the_one_that_accepts_writes(self):
        found = read_database(
            "DATABASE_URL", "postgresql://ada:p%40ss@first.example,10.0.0.2:5433,[fd00::7]/hub"
        )
        assert (found["HOST"], found["PORT"]) == ("first.example,10.0.0.2,fd00::7", "5432,5433,5432")
        assert (found["USER"], found["PASSWORD"], found["NAME"]) == ("ada", "p@ss", "hub")
        assert found["OPTIONS"]["target_session_attrs"] == "read-write"

    def test_of_several_servers_keeps_the_parameters_of_the_address(self):
        found = read_database("DATABASE_URL", "postgresql://a,b/hub?target_session_attrs=any&sslmode=require")
        assert (found["OPTIONS"]["target_session_attrs"], found["OPTIONS"]["sslmode"]) == ("any", "require")

    def test_of_one_server_has_no_such_parameter(self):
        found = read_database("DATABASE_URL", "postgresql://ada:secret@first.example:5433/hub")
        assert (found["HOST"], found["PORT"]) == ("first.example", 5433)
        assert "target_session_attrs" not in found["OPTIONS"]

    @pytest.mark.parametrize("servers", ["a,", ",b", "a,b:x", "a,b c", "a:5432,b:", "a,b;c"])
    def test_stops_the_start_at_invalid_servers_and_shows_no_password(self, servers):
        with pytest.raises(SystemExit) as stopped:
            read_database("DATABASE_URL", f"postgresql://ada:secret@{servers}/hub")
        assert str(stopped.value) == (
            "hubconsole: DATABASE_URL must have servers such as first.example.org,second.example.org:5433."
        )


class TestMaskedAddress:
    @pytest.mark.parametrize(
        ("address", "shown"),
        [
            ("postgresql://ada:se@cret@db.example:5433/hub", "postgresql://***@db.example:5433/hub"),
            (
                "postgresql://db/hub?user=a&password=b/c@d&sslmode=require",
                "postgresql://***@d&sslmode=require",
            ),
            (
                "postgresql:///hub?password=b&sslmode=require",
                "postgresql:///hub?password=***&sslmode=require",
            ),
            ("sc://spark:15002/;token=abc;use_ssl=true", "sc://spark:15002/;token=***;use_ssl=true"),
            ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("redis://:secret@one/0, redis://:other@two/0", "redis://***@one/0, redis://***@two/0"),
        ],
    )
    def test_has_no_user_password_or_token(self, address, shown):
        assert mask_address(address) == shown
