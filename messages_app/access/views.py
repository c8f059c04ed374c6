"""Logging in and out: one page for everybody, whether the console's pages or the admin's follow."""

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from messages_app.access import throttling
from messages_app.access.actors import actor_of, actor_of_name
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry

_MAX_PASSWORD = 4096
_NOBODY = "(unknown)"  # what was typed instead of a name may be a password


class LoginForm(AuthenticationForm):
    """Django's, with a bound on what is hashed (reliability D49)."""

    password = forms.CharField(
        strip=False,
        max_length=_MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class LogInView(LoginView):
    """Django's, with tries that are counted and kept in the audit. Source: reliability S-50, S-52."""

    authentication_form = LoginForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        self.attempt = throttling.attempt_of(request)
        seconds = throttling.blocked_for(self.attempt)
        return self._blocked(seconds) if seconds else super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        throttling.forget_failures(self.attempt)
        throttling.remember_device(self.request, response)
        audit.record(actor=actor_of(self.request), action="log_in")
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        throttling.note_failure(self.attempt)
        self._record_refusal("wrong_name_or_password")
        return super().form_invalid(form)

    def _blocked(self, seconds: int) -> HttpResponse:
        """Answer with the page, and without a look at the password."""
        self._record_refusal("too_many_tries")
        form = self.authentication_form(self.request)  # not filled in: nothing is checked
        context = self.get_context_data(form=form, blocked_for=seconds)
        response = self.render_to_response(context, status=429)
        response.headers["Retry-After"] = str(seconds)
        return response

    def _record_refusal(self, why: str) -> None:
        name = self.request.POST.get("username", "")
        is_known = "\0" not in name and get_user_model().objects.filter(username=name[:151]).exists()
        audit.record(
            actor=actor_of_name(self.request, name if is_known else _NOBODY),
            action="log_in",
            outcome=AuditEntry.Outcome.REFUSED,
            details={"refusal": why},
        )


class LogOutView(LogoutView):
    """Django's, kept in the audit."""

    next_page = "login"

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.user.is_authenticated:
            audit.record(actor=actor_of(request), action="log_out")
        return super().post(request, *args, **kwargs)


log_in = never_cache(LogInView.as_view())
log_out = LogOutView.as_view()
