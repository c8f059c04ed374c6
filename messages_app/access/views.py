"""Login, on one page for everyone, for the console's pages and for the admin."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages as notices
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, RedirectURLMixin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.generic import FormView

from messages_app.access import throttling
from messages_app.access.actors import actor_of, actor_of_name, user_of
from messages_app.access.person.services import start_page_of
from messages_app.access.second_factor import devices, pending_login
from messages_app.access.second_factor.confirmation import check_proof, describe_passkeys
from messages_app.access.second_factor.forms import ProofForm
from messages_app.access.second_factor.passkeys import Purpose
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.page_parameters import takes_parameters

_NOBODY = "(unknown)"  # The typed name is not recorded, because it may be a password.


# In a session without a login, the name of the user who has just set a password.
LOGS_IN_AS = "logs_in_as"


class LogInForm(AuthenticationForm):
    """Django's form, with a maximum length of passwords (docs/contributing/spec/bad_input.md, D49)."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.initial.get("username"):
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True

    password = forms.CharField(
        strip=False,
        max_length=throttling.MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class CountedTries(FormView):  # type: ignore[type-arg]  # it takes no parameter when it runs
    """The base of both steps of a login. Attempts are counted and recorded in the audit log."""

    wrong: str
    attempt: throttling.Attempt

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        self.attempt = self.attempt_of_form()
        seconds = throttling.begin_attempt(self.attempt)
        return self._render_blocked(seconds) if seconds else super().post(request, *args, **kwargs)

    def attempt_of_form(self) -> throttling.Attempt:
        raise NotImplementedError

    def user_of_form(self) -> User | None:
        """Return the user who logs in, for the audit log; None: unknown."""
        raise NotImplementedError

    def empty_form(self) -> forms.Form:
        raise NotImplementedError

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        self._record_refusal(self.wrong)
        return super().form_invalid(form)

    def logged_in(self, response: HttpResponse, **details: str) -> HttpResponse:
        throttling.record_success(self.attempt)
        throttling.remember_device(self.request, response)
        audit.record_entry(actor=actor_of(self.request), action="log_in", details=details)
        _advise_second_factor(self.request)
        return response

    def _render_blocked(self, seconds: int) -> HttpResponse:
        """Show the page without checking the input."""
        self._record_refusal("too_many_tries")
        context = self.get_context_data(form=self.empty_form(), blocked_for=seconds)
        response = self.render_to_response(context, status=429)
        response.headers["Retry-After"] = str(seconds)
        return response

    def _record_refusal(self, why: str) -> None:
        user = self.user_of_form()
        name, user_id = (user.get_username(), user.pk) if user else (_NOBODY, None)
        audit.record_entry(
            actor=actor_of_name(self.request, name, user_id=user_id),
            action="log_in",
            outcome=AuditEntry.Outcome.REFUSED,
            details={"refusal": why},
        )


def _advise_second_factor(request: HttpRequest) -> None:
    """Tell administrators who log in with only a password to a console that others can reach."""
    user = user_of(request)
    if settings.IS_LOOPBACK or not devices.is_administrator(user) or devices.has_second_factor(user):
        return
    if settings.SECOND_FACTOR == "off":
        notices.warning(request, "You are an administrator and logged in with only a password.")
    elif settings.SECOND_FACTOR == "offered":
        notices.warning(
            request,
            format_html(
                "You are an administrator and logged in with only a password."
                ' <a href="{}">Set up a second factor</a>.',
                resolve_url("second-factor"),
            ),
        )


class LogInView(CountedTries, LoginView):
    """
    Django's view with counted attempts. Users with a second factor are asked for a code next.

    Source: docs/contributing/spec/promises.md, S-50, S-52.
    """

    authentication_form = LogInForm
    redirect_authenticated_user = True
    wrong = "wrong_name_or_password"

    def attempt_of_form(self) -> throttling.Attempt:
        return throttling.attempt_at(self.request, self.request.POST.get("username", ""))

    def user_of_form(self) -> User | None:
        name = self.request.POST.get("username", "")
        return None if "\0" in name else get_user_model().objects.filter(username=name[:151]).first()

    def get_initial(self) -> dict[str, Any]:
        return super().get_initial() | {"username": self.request.session.pop(LOGS_IN_AS, "")}

    def empty_form(self) -> AuthenticationForm:
        return self.authentication_form(self.request)  # not filled in: nothing is checked

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"providers": settings.OIDC_PROVIDERS.values()}

    def get_default_redirect_url(self) -> str:
        return start_page_of(user_of(self.request).pk)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        if not devices.is_asked_of(form.get_user()):
            return self.logged_in(super().form_valid(form))
        throttling.record_success(self.attempt)
        pending_login.begin_second_step(self.request, form.get_user())
        return redirect(f"{resolve_url('login-code')}?{urlencode({'next': self.get_redirect_url()})}")


class CodeView(CountedTries, RedirectURLMixin, FormView):  # type: ignore[type-arg]  # as above
    """
    The second step of a login: the code or a passkey, after a correct password.

    Source: docs/contributing/spec/promises.md, S-54, S-65.
    """

    form_class = ProofForm
    template_name = "registration/code.html"
    wrong = "wrong_code"

    def get_default_redirect_url(self) -> str:
        return start_page_of(user_of(self.request).pk)

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        user = pending_login.user_of(request)
        if user is None:
            return redirect("login")
        self.user = user
        return super().dispatch(request, *args, **kwargs)

    def attempt_of_form(self) -> throttling.Attempt:
        return throttling.code_attempt_at(self.request, self.user.get_username())

    def user_of_form(self) -> User:
        return self.user

    def empty_form(self) -> ProofForm:
        return ProofForm()

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        more = {"next": self.get_redirect_url(), **describe_passkeys(self.request, self.user)}
        return super().get_context_data(**kwargs) | more

    def form_valid(self, form: ProofForm) -> HttpResponse:
        kind = check_proof(self.request, self.user, form, Purpose.LOG_IN)
        if not kind:
            self.wrong = form.refusal
            return self.form_invalid(form)
        pending_login.finish_login(self.request, self.user, kind=kind)
        return self.logged_in(super().form_valid(form), second_factor=kind)


# `state`: an identity provider adds it when it sends users back after a log-out.
log_in = takes_parameters("next", "state")(never_cache(LogInView.as_view()))
show_code = takes_parameters("next")(never_cache(CodeView.as_view()))
