"""The pages of API tokens: the list, the form of a new one, the key that is shown once, revoking."""

from django.contrib import messages as notices
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.backends import user_with_rights
from messages_app.access.decorators import PageViews, requires_login
from messages_app.access.models import ApiToken
from messages_app.access.reauthentication import ask_password
from messages_app.access.token_api import NEWEST_FIRST, TokenTooWide, check_maker
from messages_app.access.token_forms import TokenForm
from messages_app.access.token_services import NameTaken, create_token, revoke_token
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.pagination.paginator import fetch_page
from messages_app.core.parameters import single_values
from messages_app.core.reason_form import ReasonForm

_MAKERS = PageViews(roles.CAN_MAKE_TOKENS)
_FOLDER = "messages_app/access/tokens"
_ALL, _OWN = "all", "own"
_MAX_NAMES = 500  # that the field of the user completes


@require_safe
@requires_login
@checks_parameters
def token_list(request: HttpRequest) -> HttpResponse:
    """Show the tokens that the user may see."""
    user = user_of(request)
    values = single_values(request.GET, ("cursor", "show"))
    tokens, choice = _visible_tokens(user), values.get("show", _ALL)
    if choice == _OWN:
        tokens = tokens.filter(user_id=user.pk)
    page = fetch_page(tokens, order=NEWEST_FIRST, cursor=values.get("cursor"), scope=f"{choice} {user.pk}")
    may_make = user.has_perm(roles.CAN_MAKE_TOKENS)
    choices = [(_ALL, "All tokens"), (_OWN, "Your tokens")] if may_make else []
    context = {
        "page": page,
        "may_make": may_make,
        "choices": [(f"{reverse('token-list')}?show={name}", text, name == choice) for name, text in choices],
    }
    return render(request, f"{_FOLDER}/list.html", context)


@_MAKERS.shows_and_takes_form
def new_token(request: HttpRequest) -> HttpResponse:
    """Show the form of a new token, or create one and show its key."""
    if request.method != "POST":
        return _render_new(request, TokenForm(maker=user_of(request)))
    maker = _maker_of(request)
    form = TokenForm(request.POST, maker=maker)
    if not form.is_valid() or not _may_make(maker, form):
        return _render_new(request, form, status=400)
    if question := ask_password(request):
        return question
    try:
        token, key = create_token(
            user=form.cleaned_data["username"],
            name=form.cleaned_data["name"],
            actor=actor_of(request),
            days=form.cleaned_data["days"],
            requests_per_minute=form.cleaned_data["requests_per_minute"],
            scopes=form.chosen_scopes,
            reason=form.cleaned_data["reason"],
            needs_new_name=True,
        )
    except NameTaken as refusal:
        form.add_error("name", str(refusal))
        return _render_new(request, form, status=400)
    context = {"token": token, "key": key, "address": request.build_absolute_uri("/api/v1/me/")}
    return render(request, f"{_FOLDER}/made.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires_login
def revoke_one(request: HttpRequest, token_id: int) -> HttpResponse:
    """Ask for a reason, and revoke a token."""
    token = _visible_tokens(user_of(request)).filter(pk=token_id).first()
    if token is None:
        raise Http404(f"No token has the id {token_id}.")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {"token": token, "form": form}
        return render(request, f"{_FOLDER}/revoke.html", context, status=400 if form.is_bound else 200)
    if question := ask_password(request):
        return question
    revoke_token(token_id=token_id, actor=actor_of(request), reason=form.cleaned_data["reason"])
    notices.success(request, f"Token {token.name} revoked.")
    return redirect("token-list")


def _maker_of(request: HttpRequest) -> User:
    """Return the user of the request with all rights, masked ones included."""
    maker = user_with_rights(user_of(request).pk)
    if maker is None:
        raise Http404
    return maker


def _may_make(maker: User, form: TokenForm) -> bool:
    """Whether `maker` may make a token of this user. If not, the form says why."""
    user = form.cleaned_data["username"]
    try:
        if user.pk != maker.pk:
            check_maker(maker, user)
    except TokenTooWide as refusal:
        form.add_error("username", str(refusal))
    return form.is_valid()


def _visible_tokens(user: User) -> QuerySet[ApiToken]:
    """Return all tokens if `user` may create tokens, and otherwise those of the user."""
    tokens = ApiToken.objects.select_related("user").annotate(now=Now())
    return tokens if user.has_perm(roles.CAN_MAKE_TOKENS) else tokens.filter(user_id=user.pk)


def _render_new(request: HttpRequest, form: TokenForm, *, status: int = 200) -> HttpResponse:
    names = User.objects.filter(is_active=True).order_by("username").values_list("username", flat=True)
    context = {"form": form, "names": names[:_MAX_NAMES]}
    return render(request, f"{_FOLDER}/new.html", context, status=status)
