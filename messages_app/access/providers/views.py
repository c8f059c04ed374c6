"""
Log-in and log-out through an identity provider.

The way to the provider begins with a link: the content security policy lets no form lead to other hosts.

Source: docs/howto/company_accounts.md, "Log-in".
"""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import reauthentication
from messages_app.access.actors import actor_of, actor_of_name, user_of
from messages_app.access.backends import stored_rights
from messages_app.access.decorators import requires_login
from messages_app.access.person.services import start_page_of
from messages_app.access.provider_settings import Provider, provider_with
from messages_app.access.providers.accounts import admit_identity, end_sessions
from messages_app.access.providers.client import (
    ProviderAway,
    Purpose,
    begin_at_provider,
    finish_at_provider,
    log_out_address,
)
from messages_app.access.providers.identities import Identity, LogInRefused
from messages_app.access.providers.logout_tokens import MAX_TOKEN, InvalidLogoutToken, read_logout_token
from messages_app.access.providers.models import ProviderAccount
from messages_app.access.second_factor.pending_login import SHOWN
from messages_app.access.sessions.store import PROVIDER, PROVIDER_SESSION
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.page_parameters import ignores_parameters, takes_parameters

_FOLDER = "messages_app/access/providers"
_BACKEND = settings.AUTHENTICATION_BACKENDS[0]
_UNKNOWN = "(unknown)"


@require_safe
@never_cache
@takes_parameters("next", "confirm")
def begin_log_in(request: HttpRequest, key: str) -> HttpResponse:
    """Lead to the provider, where the user logs in or, with `confirm`, logs in again."""
    provider = _get_provider(key)
    confirms = "confirm" in request.GET and request.user.is_authenticated
    purpose = Purpose(next_page=_safe_page(request, request.GET.get("next", "")), confirms=confirms)
    callback = request.build_absolute_uri(reverse("provider-callback", args=[key]))
    try:
        return redirect(begin_at_provider(request, provider, callback=callback, purpose=purpose))
    except ProviderAway as error:
        return _render_fault(request, provider, str(error), status=503)


@require_safe
@never_cache
@ignores_parameters
def finish_log_in(request: HttpRequest, key: str) -> HttpResponse:
    """Log in the user whom the provider has sent back, or take the confirmation."""
    provider = _get_provider(key)
    try:
        identity, purpose = finish_at_provider(request, provider)
        if purpose.confirms:
            return _take_confirmation(request, identity)
        user = admit_identity(request, provider=provider, identity=identity)
    except ProviderAway as error:
        return _render_fault(request, provider, str(error), status=503)
    except LogInRefused as refusal:
        _record_refusal(request, provider, refusal)
        return _render_fault(request, provider, str(refusal), status=403)
    _log_in(request, user, provider, identity)
    if not stored_rights(user) and not user.is_superuser:
        return redirect("no-role")
    return redirect(purpose.next_page or start_page_of(user.pk))


@require_safe
@requires_login
def show_no_role(request: HttpRequest) -> HttpResponse:
    """Say to a user without a role what an administrator has to do."""
    user = user_of(request)
    if stored_rights(user) or user.is_superuser:
        return redirect("/")
    account = ProviderAccount.objects.filter(user_id=user.pk).first()
    groups = account.groups if account else []
    return render(request, f"{_FOLDER}/no_role.html", {"groups": groups, "account": account})


@csrf_exempt
@require_POST
@never_cache
def take_logout(request: HttpRequest, key: str) -> HttpResponse:
    """End sessions of a user whom the provider has logged out. Called by the provider itself."""
    provider = _get_provider(key)
    text = request.POST.get("logout_token", "")
    try:
        if not 0 < len(text) <= MAX_TOKEN:
            raise InvalidLogoutToken("It is missing or too long.")
        log_out = read_logout_token(provider, text)
    except (InvalidLogoutToken, ProviderAway) as error:
        answer = {"error": "invalid_request", "error_description": f"logout_token: {error}"}
        return JsonResponse(answer, status=400)
    with transaction.atomic():
        for ended in end_sessions(
            issuer=provider.issuer,
            subject=log_out.subject,
            provider_session=log_out.session_id,
            at=log_out.at,
        ):
            audit.record_entry(
                actor=actor_of_name(request, ended.username, user_id=ended.user_id),
                action="log_out",
                details={"provider": provider.key, "sessions": ended.sessions},
            )
    return HttpResponse(status=200)


def leave_provider(request: HttpRequest, key: object) -> HttpResponse | None:
    """Return the page after a log-out that leads to the provider's own; None: the log-in was a local one."""
    provider = provider_with(key)
    if provider is None:
        return None
    try:
        address = log_out_address(provider, return_to=request.build_absolute_uri(reverse("login")))
    except ProviderAway:
        address = ""
    page = render(request, f"{_FOLDER}/logged_out.html", {"provider": provider, "address": address})
    if address:
        page.headers["Refresh"] = f"0; url={address}"
    return page


def _get_provider(key: str) -> Provider:
    provider = provider_with(key)
    if provider is None:
        raise Http404(f"No identity provider is called {key}.")
    return provider


def _log_in(request: HttpRequest, user: User, provider: Provider, identity: Identity) -> None:
    login(request, user, backend=_BACKEND)
    request.session[PROVIDER] = provider.key
    request.session[PROVIDER_SESSION] = identity.session_id
    details = {"provider": provider.key}
    if identity.has_second_factor:
        request.session[SHOWN] = "provider"
        details["second_factor"] = "provider"
    audit.record_entry(actor=actor_of(request), action="log_in", details=details)


def _take_confirmation(request: HttpRequest, identity: Identity) -> HttpResponse:
    """
    Note that the user of the session has logged in at the provider again.

    Raises:
        LogInRefused: another user did.
    """
    account = ProviderAccount.objects.filter(issuer=identity.issuer, subject=identity.subject).first()
    if account is None or account.user_id != request.user.pk:
        raise LogInRefused("wrong_subject", "You logged in as another user than the one of this session.")
    reauthentication.note_confirmation(request)
    audit.record_entry(
        actor=actor_of(request), action="confirm_password", details={"provider": request.session[PROVIDER]}
    )
    return render(request, f"{_FOLDER}/confirmed.html")


def _record_refusal(request: HttpRequest, provider: Provider, refusal: LogInRefused) -> None:
    name, user_id = _UNKNOWN, None
    if request.user.is_authenticated:
        name, user_id = request.user.get_username(), request.user.pk
    audit.record_entry(
        actor=actor_of_name(request, name, user_id=user_id),
        action="log_in",
        outcome=AuditEntry.Outcome.REFUSED,
        details={"provider": provider.key, "refusal": refusal.code},
    )


def _render_fault(request: HttpRequest, provider: Provider, text: str, *, status: int) -> HttpResponse:
    again = _safe_page(request, request.GET.get("next", ""))
    context = {"provider": provider, "text": text, "query": urlencode({"next": again} if again else {})}
    return render(request, f"{_FOLDER}/fault.html", context, status=status)


def _safe_page(request: HttpRequest, page: str) -> str:
    """Return an address of this console, or nothing."""
    is_safe = url_has_allowed_host_and_scheme(
        page, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return page if is_safe else ""
