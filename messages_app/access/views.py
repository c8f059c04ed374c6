"""Logging in: one page for everybody, whether the console's pages or the admin's follow."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.views.decorators.cache import never_cache

_MAX_PASSWORD = 4096


class LoginForm(AuthenticationForm):
    """Django's, with a bound on what is hashed (reliability D49)."""

    password = forms.CharField(
        strip=False,
        max_length=_MAX_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


log_in = never_cache(LoginView.as_view(authentication_form=LoginForm, redirect_authenticated_user=True))
