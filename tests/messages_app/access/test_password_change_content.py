"""The pages on which users change their password and show values."""

from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import RequestFactory

from messages_app.access.password_change import OwnPasswordForm
from messages_app.core.reason_form import ReasonForm
from tests.support.page_outlines import outline_of, show_block


class TestOwnPassword:
    def show(self, errors: dict[str, str]) -> str:
        request = RequestFactory().get("/")
        request.user = User(username="ada")
        form = OwnPasswordForm(request)
        form._errors = {name: [text] for name, text in errors.items()}
        return show_block("messages_app/access/password_change.html", form=form)

    def test_asks_for_the_old_and_the_new_one(self):
        assert outline_of(self.show({})) == [
            "Change password",
            "Old password",
            "<old_password>",
            "New password",
            "<new_password1>",
            "Your password must contain at least 12 characters.",
            "Your password can’t be a commonly used password.",
            "Your password can’t be too similar to your other personal information.",
            "Your password must not contain the product name or the hub name.",
            "New password again",
            "<new_password2>",
            "Change password",
            (
                "Changing it ends your other sessions and masks values again in this one. Your second "
                "factor and API tokens do not change."
            ),
        ]

    def test_shows_each_error_at_its_field(self):
        errors = {
            "old_password": "It is wrong.",
            "new_password1": "It is short.",
            "new_password2": "It differs.",
        }
        lines = outline_of(self.show(errors))
        assert [line for line in lines if line.startswith(("It ", "<"))] == [
            "<old_password>",
            "It is wrong.",
            "<new_password1>",
            "It is short.",
            "<new_password2>",
            "It differs.",
        ]


class TestReveal:
    def show(self, form: ReasonForm, minutes: int = 15) -> list[str]:
        values = {"form": form, "address": "/messages/7/", "minutes": minutes}
        return outline_of(show_block("messages_app/access/reveal.html", **values))

    def test_asks_for_a_reason(self):
        assert self.show(ReasonForm()) == [
            "(/reveal/)",
            (
                "Payloads, envelopes, requests, responses and documents are masked. Give a reason to "
                "see their values for 15 minutes in this session."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Show values",
            "[Keep masked](/messages/7/)",
        ]
        assert self.show(ReasonForm(QueryDict("reason=")), minutes=1) == [
            "(/reveal/)",
            (
                "Payloads, envelopes, requests, responses and documents are masked. Give a reason to "
                "see their values for 1 minute in this session."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Show values",
            "[Keep masked](/messages/7/)",
        ]

    def test_keeps_the_address_to_return_to(self):
        markup = show_block(
            "messages_app/access/reveal.html", form=ReasonForm(), address="/messages/7/", minutes=15
        )
        assert '<input type="hidden" name="next" value="/messages/7/">' in markup
