"""A token that somebody makes by a token: it may no more than that one."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser

from messages_app.access.models import ApiToken
from messages_app.access.roles import ROLES
from messages_app.access.scopes import SCOPES, split
from messages_app.access.services import create_token
from messages_app.audit import services as audit

MAY_NOT = "A session may make no token: call with a token, or use manage.py create_token."
_EVERY_RIGHT = frozenset().union(*ROLES.values())


class TokenTooWide(Exception):
    """The new token would be allowed what its maker is not; `field` says by what."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def issue_token(
    *,
    maker: AbstractBaseUser,
    by: ApiToken,
    user: AbstractBaseUser,
    actor: audit.Actor,
    name: str,
    days: int,
    scopes: Collection[str] | None,
    requests_per_minute: int | None,
    reason: str,
) -> tuple[ApiToken, str]:
    """
    Make a token by another one, and return it with its key, as create_token does.

    Args:
        maker: the caller, with no more rights than the scopes of `by` leave.
        by: the token that the caller has.
        user: whose rights the new token carries.

    Raises:
        TokenTooWide: `by` lacks one of the scopes, or `user` has a right that `maker` has not.
        ValueError: as create_token.
    """
    _check_scopes(by, scopes)
    if user.pk != maker.pk:
        _check_rights(maker, user)
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
        raise TokenTooWide("scopes", "Your token has scopes, so name those of the new one.")
    for scope in scopes:
        if scope not in by.scopes and split(scope)[0] not in by.scopes and split(scope)[0] in SCOPES:
            raise TokenTooWide("scopes", f"Your token lacks the scope {scope}.")


def _check_rights(maker: AbstractBaseUser, user: AbstractBaseUser) -> None:
    rights = _EVERY_RIGHT if user.is_superuser else user.get_all_permissions()
    if user.is_superuser and not maker.is_superuser:
        raise TokenTooWide("user", "You may make no token of a superuser.")
    for right in sorted(rights):
        if not maker.has_perm(right):
            raise TokenTooWide("user", f"{user.get_username()} has the right {right}, and you have not.")
