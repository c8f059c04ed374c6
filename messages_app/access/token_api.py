"""
The API of tokens: list, create, retrieve, revoke.

Source: docs/contributing/spec/interfaces.md, "Further calls".
"""

from collections.abc import Collection
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.calls import Action, CallView
from messages_app.access.idempotency import Answer
from messages_app.access.models import ApiToken
from messages_app.access.reads import Listing, Read
from messages_app.access.reauthentication import has_confirmed
from messages_app.access.roles import ROLES
from messages_app.access.scopes import MAX_SCOPE, SCOPES, split_scope
from messages_app.access.token_services import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MAX_NAME,
    MAX_PER_MINUTE,
    create_token,
    revoke_token,
)
from messages_app.audit import services as audit
from messages_app.core.api_schema import ACTING
from messages_app.core.etags import Tag
from messages_app.core.pagination.paginator import Order, Page, fetch_page
from messages_app.core.parameters import read_id
from messages_app.core.problems import Problem, bad_field, not_found, quote_value
from messages_app.core.representation import represent_value
from messages_app.core.serializers import (
    ReasonField,
    RowSerializer,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)

# Tokens that a caller creates by a token. They never have more permissions than that token.
MAY_NOT = "A session cannot create tokens by the API. Use the page /tokens/, or call with a token."
_EVERY_RIGHT: frozenset[str] = frozenset().union(*ROLES.values())


class TokenTooWide(Exception):
    """The new token would have more permissions than its creator. `field` names the parameter at fault."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def issue_token(
    *,
    maker: User,
    by: ApiToken,
    user: User,
    actor: audit.Actor,
    name: str,
    days: int,
    scopes: Collection[str] | None,
    requests_per_minute: int | None,
    reason: str,
) -> tuple[ApiToken, str]:
    """
    Create a token on behalf of the owner of another token. Returns it with its key, like `create_token`.

    Args:
        maker: the caller, limited to the scopes of `by`.
        by: the token of the caller.
        user: the user whose permissions the new token has.

    Raises:
        TokenTooWide: `by` lacks one of the scopes, or `user` has a permission that `maker` lacks.
        ValueError: the same as `create_token`.
    """
    _check_scopes(by, scopes)
    if user.pk != maker.pk:
        check_maker(maker, user)
    return create_token(
        user=user,
        name=name,
        actor=actor,
        days=days,
        requests_per_minute=requests_per_minute,
        scopes=scopes,
        reason=reason,
    )


def _check_scopes(by: ApiToken, scopes: Collection[str] | None) -> None:
    if by.scopes is None:
        return
    if scopes is None:
        raise TokenTooWide("scopes", "Your token has scopes, so specify the scopes of the new token.")
    for scope in scopes:
        if (
            scope not in by.scopes
            and split_scope(scope)[0] not in by.scopes
            and split_scope(scope)[0] in SCOPES
        ):
            raise TokenTooWide("scopes", f"Your token lacks the scope {scope}.")


def check_maker(maker: User, user: User) -> None:
    """
    Check that `maker` has every permission of the user of a new token.

    Raises:
        TokenTooWide: one is missing.
    """
    rights = _EVERY_RIGHT if user.is_superuser else user.get_all_permissions()
    if user.is_superuser and not maker.is_superuser:
        raise TokenTooWide("user", "You cannot create a token for a superuser.")
    for right in sorted(rights):
        if not maker.has_perm(right):
            raise TokenTooWide(
                "user", f"{user.get_username()} has the permission {right}, which you do not have."
            )


NEWEST_FIRST = Order(column="token_id", key="token_id", descending=True)


class TokenSerializer(RowSerializer):
    user = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = ApiToken
        fields: tuple[str, ...] = (
            "token_id",
            "name",
            "user",
            "scopes",
            "created_at",
            "expires_at",
            "last_used_at",
            "revoked_at",
            "requests_per_minute",
        )


class NewTokenAnswerSerializer(TokenSerializer):
    key = serializers.CharField(
        read_only=True, allow_null=True, help_text="Returned once; null when the request is repeated."
    )

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "key")


class NewTokenSerializer(StrictSerializer):
    name = StrictCharField(max_length=MAX_NAME, help_text="Purpose of the token; shown in the audit log.")
    user = StrictCharField(
        source="username",
        max_length=150,
        required=False,
        help_text="User whose permissions it has; default: you.",
    )
    days = StrictIntegerField(min_value=1, max_value=MAX_DAYS, default=DEFAULT_DAYS)
    scopes = serializers.ListField(
        child=StrictCharField(max_length=MAX_SCOPE),
        required=False,
        allow_null=True,
        default=None,
        allow_empty=False,
        help_text="Only scopes that your own token has; absent or null: all permissions of the user.",
    )
    requests_per_minute = StrictIntegerField(
        min_value=1, max_value=MAX_PER_MINUTE, required=False, allow_null=True, default=None
    )
    reason = ReasonField()


_CONFIRM_FIRST = "Confirm your password first: revoke the token at /tokens/, or call with a token."


class RevokeTokenSerializer(StrictSerializer):
    reason = ReasonField()


def token_page(*, cursor: str | None, page_size: int) -> Page[ApiToken]:
    tokens = ApiToken.objects.select_related("user")
    return fetch_page(tokens, order=NEWEST_FIRST, cursor=cursor, page_size=page_size)


def make_token(
    *,
    request: Request,
    actor: audit.Actor,
    name: str,
    days: int,
    scopes: list[str] | None,
    requests_per_minute: int | None,
    reason: str,
    username: str | None = None,
) -> Answer:
    if not isinstance(request.auth, ApiToken):
        raise Problem(403, "password_required", MAY_NOT)
    user = _find_user(username, request)
    try:
        token, key = issue_token(
            maker=user_of(request),
            by=request.auth,
            user=user,
            actor=actor,
            name=name,
            days=days,
            scopes=scopes,
            requests_per_minute=requests_per_minute,
            reason=reason,
        )
    except TokenTooWide as error:
        raise bad_field(error.field, "not_allowed", str(error)) from None
    except ValueError as error:
        raise bad_field("scopes", "invalid_value", str(error)) from None
    return Answer(201, represent_value(TokenSerializer, token) | {"key": key})


def _find_user(name: str | None, request: Request) -> User:
    """Return the user of the new token. Raises Problem: 404."""
    username = request.user.get_username() if name is None else name
    user = get_user_model().objects.filter(username=username, is_active=True).first()
    if user is None:
        raise not_found(f"There is no active user {quote_value(username)}.")
    return user


class TokenListView(CallView):
    """The view of new tokens. An Idempotency-Key does not keep the key of a token."""

    def stored_body(self, body: dict[str, Any]) -> dict[str, object]:
        return body | {"key": None}


def read_token(*, token_id: str) -> ApiToken:
    return _get_token(ApiToken.objects.all(), token_id)


def _lock_token(*, token_id: str) -> dict[str, object]:
    token = _get_token(ApiToken.objects.select_for_update(no_key=True, of=("self",)), token_id)
    return represent_value(TokenSerializer, token)


def revoke_and_read(*, token_id: str, request: Request, actor: audit.Actor, reason: str) -> ApiToken:
    if request.auth is None and not has_confirmed(request.session):
        raise Problem(403, "password_required", _CONFIRM_FIRST)
    revoke_token(token_id=read_token(token_id=token_id).pk, actor=actor, reason=reason)
    return read_token(token_id=token_id)


def _get_token(tokens: QuerySet[ApiToken], text: str) -> ApiToken:
    """Return the token of an address. Raises Problem: 404."""
    number = read_id(text)
    token = None if number is None else tokens.select_related("user").filter(pk=number).first()
    if token is None:
        raise not_found(f"No token has the id {quote_value(text)}.")
    return token


_TOKEN = Tag(lock=_lock_token, moving=frozenset({"last_used_at"}))

CALLS = [
    Listing(
        "tokens/",
        token_page,
        view=TokenListView,
        name="Token List",
        right=roles.CAN_MAKE_TOKENS,
        answer=TokenSerializer,
        operation_id="tokens_list",
        description="List tokens, newest first. Keys are never included.",
    ),
    Action(
        "tokens/",
        make_token,
        view=TokenListView,
        right=roles.CAN_MAKE_TOKENS,
        audited_as="create_token",
        body=NewTokenSerializer,
        answer=NewTokenAnswerSerializer,
        statuses=(201,),
        problems=(*ACTING, 404),
        location="tokens/{token_id}/",
        description=(
            "Create a token. Only this answer has its key.\n\nThe token cannot have more permissions than"
            " you: no scope that your own token lacks, and no user who has a permission that you lack. A"
            " session creates tokens on the page `/tokens/`: call with a token.\n\nThe"
            " answer to a repeat with the same Idempotency-Key does not have the key. If you lost the key,"
            " revoke the token."
        ),
    ),
    Read(
        "tokens/<str:token_id>/",
        read_token,
        name="Token",
        right=roles.CAN_MAKE_TOKENS,
        answer=TokenSerializer,
        tag=_TOKEN,
        operation_id="tokens_retrieve",
        description="Retrieve one token, without its key.",
    ),
    Action(
        "tokens/<str:token_id>/",
        revoke_and_read,
        method="DELETE",
        right=roles.CAN_MAKE_TOKENS,
        audited_as="revoke_token",
        body=RevokeTokenSerializer,
        answer=TokenSerializer,
        tag=_TOKEN,
        operation_id="tokens_revoke",
        description=(
            "Revoke a token. It is invalid immediately and remains in the list. Revoking it again changes"
            " nothing.\n\nA session must have confirmed the password within the last ten minutes, on the"
            " page `/tokens/`."
        ),
    ),
]
