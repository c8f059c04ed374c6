"""The pages of the second factor with values that all differ."""

from datetime import timedelta
from types import SimpleNamespace

from django.test import RequestFactory

from messages_app.access.passwords import PasswordForm
from messages_app.access.second_factor.forms import CodeForm, NameForm
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block

DEVICE = SimpleNamespace(created_at=NOON, last_used_at=NOON + timedelta(minutes=7))
BEGUN = SimpleNamespace(picture="data:image/png;base64,AAAA", key="ABCD EFGH")


PARTY = SimpleNamespace(host="hub.example.org")
REQUEST = RequestFactory().get("/")


def render(**values: object) -> str:
    empty = {
        "device": None,
        "begun": None,
        "codes_left": 0,
        "error": "",
        "is_required": False,
        "is_on": "device" in values or "passkeys" in values,
        "passkeys": [],
        "has_room": True,
        "party": PARTY,
        "code_form": CodeForm(),
        "name_form": NameForm(auto_id="passkey_%s"),
        "password_form": PasswordForm(request=REQUEST),
        "passkey_password": PasswordForm(request=REQUEST, auto_id="passkey_%s"),
    }
    return show_block("messages_app/access/second_factor.html", **empty | values)


def show(**values: object) -> list[str]:
    return outline_of(render(**values))


WORDS = (
    "A passkey is kept by your device, a security key or a password manager, and unlocked by a fingerprint, "
    "a face or a PIN. It works only at hub.example.org."
)
# Hidden: the script shows it in such a browser.
NO_PASSKEYS = (
    "* This browser has no passkeys at this address: it may be old, or the page needs HTTPS or localhost. "
    "Use an authenticator app instead."
)


class TestSecondFactor:
    def test_shows_when_it_was_set_up_and_what_is_left(self):
        assert show(device=DEVICE, codes_left=9, is_required=True) == [
            "Second factor is on",
            "(/second-factor/change/)",
            "App: set up 2026-11-01 12:00:00 UTC, last used 2026-11-01 12:07:00 UTC.",
            "Recovery codes left: 9.",
            "Create new recovery codes",
            "Remove app",
            "Add a passkey",
            "(/second-factor/passkeys/new/)",
            WORDS,
            "Name of the passkey",
            "<name>",
            "Add passkey",
            NO_PASSKEYS,
        ]
        unused = SimpleNamespace(created_at=NOON, last_used_at=None)
        assert show(device=unused, codes_left=3)[2:4] == [
            "App: set up 2026-11-01 12:00:00 UTC.",
            "Recovery codes left: 3.",
        ]

    def test_asks_for_the_password_first(self):
        assert show() == [
            "Add a passkey",
            "(/second-factor/passkeys/new/)",
            WORDS,
            "Name of the passkey",
            "<name>",
            "Your password",
            "<password>",
            "Add passkey",
            NO_PASSKEYS,
            "Set up an authenticator app",
            "(/second-factor/start/)",
            "Your password",
            "<password>",
            "Create key",
        ]
        assert show(is_required=True, error="Wrong password.")[:2] == [
            "Wrong password.",
            "You need a second factor. Set one up to continue.",
        ]

    def test_lists_passkeys_with_their_last_use_and_host_if_there_are_several(self):
        used = SimpleNamespace(
            pk=7,
            name="Phone",
            host="hub.example.org",
            created_at=NOON,
            last_used_at=NOON + timedelta(minutes=9),
        )
        unused = SimpleNamespace(pk=8, name="Key", host="old.example.org", created_at=NOON, last_used_at=None)
        lines = " ".join(show(passkeys=[used, unused], has_several_hosts=True, has_room=False))
        for part in ("Phone", "12:09:00", "hub.example.org", "old.example.org", "never", "Remove Key"):
            assert part in lines
        assert "Set up an authenticator app" in lines
        assert "Add another passkey" not in lines
        markup = render(passkeys=[used, unused])
        assert 'value="remove-passkey 7"' in markup
        assert "old.example.org" not in markup
        assert "Add another passkey" in markup

    def test_says_that_an_address_has_no_passkeys(self):
        assert show(party=None)[:2] == [
            "Add a passkey",
            "This address of the console can have no passkeys. Open it by its host name (on this machine: "
            "localhost), or use an authenticator app.",
        ]

    def test_shows_users_of_a_provider_where_their_factor_is(self):
        assert show(is_of_provider=True, provider="Bank", is_required=True) == [
            "You log in through Bank, which asks for your second factor. You need one: the provider "
            "must report it."
        ]

    def test_shows_the_key_that_was_begun(self):
        assert show(begun=BEGUN) == [
            "Add it to your app",
            (
                "Scan the QR code with an authenticator app, or enter this key (time-based, SHA-1, 6 "
                "digits, 30 s):"
            ),
            "ABCD EFGH",
            "(/second-factor/confirm/)",
            "Current code from the app",
            "<code>",
            "Turn on second factor",
            "Turning it on ends your other sessions. Creating another key replaces this one.",
            "Add a passkey",
            "(/second-factor/passkeys/new/)",
            WORDS,
            "Name of the passkey",
            "<name>",
            "Your password",
            "<password>",
            "Add passkey",
            NO_PASSKEYS,
            "Use another key",
            "(/second-factor/start/)",
            "Your password",
            "<password>",
            "Create another key",
        ]
        markup = render(begun=BEGUN)
        assert 'src="data:image/png;base64,AAAA"' in markup

    def test_shows_the_recovery_codes_once(self):
        markup = show_block("messages_app/access/recovery_codes.html", codes=["aa-11", "bb-22"])
        assert outline_of(markup) == [
            (
                "Your second factor is on. Store these codes separately from your password. They are "
                "shown only once."
            ),
            "Your codes",
            "aa-11",
            "bb-22",
            "[I have saved them](/)",
        ]
