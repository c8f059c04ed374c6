"""
Links by which users set a password: of a new account, or after theirs was taken away.

Django signs them. A link holds for three days, until it was used or the password has changed.
"""

import logging
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.contrib import messages as notices
from django.contrib.auth import logout
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from messages_app.access.actors import actor_of_name
from messages_app.access.passwords import password_field
from messages_app.access.users.services import SUBJECT_KIND, statements
from messages_app.access.views import LOGS_IN_AS
from messages_app.audit import services as audit
from messages_app.core.formatting import count_of

logger = logging.getLogger(__name__)
DAYS = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)


@dataclass(frozen=True, kw_only=True)
class PasswordLink:
    """
    A link that is shown once.

    Args:
        is_sent: whether it was also sent to the email address of the user.
        fault: a sentence that says why it could not be sent; empty if it was sent or not tried.
    """

    address: str
    is_sent: bool = False
    fault: str = ""


def make_link(request: HttpRequest, user: User) -> PasswordLink:
    """Return a link for a user, after sending it if there are a mail server and an address."""
    key = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("password-set", args=[key, default_token_generator.make_token(user)])
    address = request.build_absolute_uri(path)
    if not (settings.IS_MAIL_SET_UP and user.email):
        return PasswordLink(address=address)
    try:
        _send_link(user, address)
    except (OSError, SMTPException):
        logger.warning("the link of user %s could not be sent", user.pk, exc_info=True)
        return PasswordLink(address=address, fault="The mail server did not accept the email.")
    return PasswordLink(address=address, is_sent=True)


def _send_link(user: User, address: str) -> None:
    hub = f" of {settings.HUBCONSOLE_HUB_NAME}" if settings.HUBCONSOLE_HUB_NAME else ""
    lines = [
        f"Your user name in Hub Console{hub} is {user.get_username()}.",
        f"Set your password within {count_of(DAYS, 'day')}:",
        address,
    ]
    send_mail("[Hub Console] Set your password", "\n\n".join(lines), None, [user.email])


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # it takes no parameter when it runs
    """Django's form, with a maximum length of passwords (docs/contributing/spec/bad_input.md, D49)."""

    error_messages = {"password_mismatch": "The two passwords do not match."}
    new_password1 = password_field(
        "New password",
        autocomplete="new-password",
        help_text=password_validators_help_text_html(),
        missing="Enter a password.",
    )
    new_password2 = password_field(
        "New password again", autocomplete="new-password", missing="Enter the password again."
    )


class SetPasswordView(PasswordResetConfirmView):
    """
    Django's view of a link, which keeps its token out of the address of the form.

    The password is stored only if no other one was stored since the link was made. Sessions end with it.
    """

    template_name = "messages_app/access/set_password.html"
    form_class = NewPasswordForm

    def get_user(self, uidb64: str) -> User | None:
        user: User | None = super().get_user(uidb64)
        return user if user is not None and user.is_active else None

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        form = context.get("form")
        status = 404 if not self.validlink else 400 if form is not None and form.is_bound else 200
        return super().render_to_response(context, **kwargs | {"status": status})

    def form_valid(self, form: NewPasswordForm) -> HttpResponse:
        user = form.user
        hashed = make_password(form.cleaned_data["new_password1"])  # Slow, so not in the transaction.
        values = {"user_id": user.pk, "password": hashed, "seen_password": user.password}
        with transaction.atomic():
            count, _ = statements.only_row("replace_password", values)
            if count:
                actor = actor_of_name(self.request, user.get_username(), user_id=user.pk)
                audit.record_entry(
                    actor=actor, action="set_password", subject_kind=SUBJECT_KIND, subject=user.pk
                )
        logout(self.request)
        if count:
            self.request.session[LOGS_IN_AS] = user.get_username()
            notices.success(self.request, "Password set. Log in with it.")
        else:
            notices.error(self.request, "The link was already used.")
        return redirect("login")
