"""The pages of the second factor with values that all differ."""

from datetime import timedelta
from types import SimpleNamespace

from django.test import RequestFactory

from messages_app.access.passwords import PasswordForm
from messages_app.access.second_factor.forms import CodeForm
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block

DEVICE = SimpleNamespace(created_at=NOON, last_used_at=NOON + timedelta(minutes=7))
BEGUN = SimpleNamespace(picture="data:image/png;base64,AAAA", key="ABCD EFGH")


def render(**values: object) -> str:
    empty = {
        "device": None,
        "begun": None,
        "codes_left": 0,
        "error": "",
        "is_required": False,
        "code_form": CodeForm(),
        "password_form": PasswordForm(request=RequestFactory().get("/")),
    }
    return show_block("messages_app/access/second_factor.html", **empty | values)


def show(**values: object) -> list[str]:
    return outline_of(render(**values))


class TestSecondFactor:
    def test_shows_when_it_was_set_up_and_what_is_left(self):
        assert show(device=DEVICE, codes_left=9, is_required=True) == [
            "Second factor is on",
            "Set up 2026-11-01 12:00:00 UTC, last used 2026-11-01 12:07:00 UTC. Recovery codes left: 9.",
            "(/second-factor/change/)",
            "Code from the app, or a recovery code",
            "<code>",
            "Create new recovery codes",
            "Remove second factor",
        ]
        unused = SimpleNamespace(created_at=NOON, last_used_at=None)
        assert (
            show(device=unused, codes_left=3)[1] == "Set up 2026-11-01 12:00:00 UTC. Recovery codes left: 3."
        )

    def test_asks_for_the_password_first(self):
        assert show() == [
            "Set up second factor",
            "(/second-factor/start/)",
            "Your password",
            "<password>",
            "Create key",
        ]
        assert show(is_required=True, error="Wrong password.")[:2] == [
            "Wrong password.",
            "Administrators need a second factor. Set one up to continue.",
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
