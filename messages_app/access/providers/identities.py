"""
The user who has logged in at a provider, from the claims of a checked token.

Only issuer and subject name a user: names, mail addresses and groups can change and can be another person's.
Source: docs/howto/company_accounts.md, "Users".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from messages_app.access.provider_settings import Provider
from messages_app.access.refusals import ProofRefused

MAX_SUBJECT = 255
MAX_GROUP = 255
_MAX_GROUPS = 1_000
# Of a claim that is a user's name, before it is cut to its column.
_MAX_TEXT = 254
# Values of `acr` for several factors: of OpenID's policies and of REFEDS.
_STRONG_ACR = {
    "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
    "https://refeds.org/profile/mfa",
    "phr",
    "phrh",
}


class LogInRefused(ProofRefused):
    """A log-in through a provider does not count."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """
    A user of a provider, as of the log-in.

    Args:
        session_id: the provider's id of its own session; empty if it gives none.
        wanted_name: the name that the user has there; not unique.
        groups: as the provider names them, sorted.
        has_second_factor: whether the provider says that it has asked for one.
        authenticated_at: seconds since 1970 of the moment at which the user has proved who they are.
    """

    issuer: str
    subject: str
    session_id: str
    wanted_name: str
    first_name: str
    last_name: str
    email: str
    groups: tuple[str, ...]
    has_second_factor: bool
    authenticated_at: float


def read_identity(provider: Provider, claims: Mapping[str, Any], profile: Mapping[str, Any]) -> Identity:
    """
    Return the user of a token.

    Args:
        claims: of the checked token.
        profile: further claims of the provider.

    Raises:
        LogInRefused: the subject or the groups cannot be read.
    """
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
        raise LogInRefused("invalid_token", f"The token of {provider} has no subject that can be stored.")
    everything = {**profile, **claims}
    return Identity(
        issuer=provider.issuer,
        subject=subject,
        session_id=_text_of(claims, "sid"),
        wanted_name=_text_of(everything, "preferred_username") or _text_of(everything, "email"),
        first_name=_text_of(everything, "given_name") or _text_of(everything, "name"),
        last_name=_text_of(everything, "family_name"),
        email=_text_of(everything, "email"),
        groups=_read_groups(provider, everything),
        has_second_factor=_is_strong(provider, claims),
        authenticated_at=float(claims.get("auth_time") or 0),
    )


def _read_groups(provider: Provider, claims: Mapping[str, Any]) -> tuple[str, ...]:
    name = provider.groups_claim
    # A provider that leaves out a long list says where it is. Without the list all rights would be taken.
    elsewhere = claims.get("_claim_names")
    if name not in claims and isinstance(elsewhere, dict) and name in elsewhere:
        raise LogInRefused(
            "groups_left_out",
            f"You are in more groups than {provider} sends. It must send only those of this console.",
        )
    groups = claims.get(name, [])
    groups = [groups] if isinstance(groups, str) else groups
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise LogInRefused("invalid_token", f"The claim {name} of {provider} is not a list of names.")
    if len(groups) > _MAX_GROUPS:
        raise LogInRefused("groups_left_out", f"{provider} sends more than {_MAX_GROUPS} groups of yours.")
    return tuple(sorted({group for group in groups if group.isprintable() and 0 < len(group) <= MAX_GROUP}))


def _is_strong(provider: Provider, claims: Mapping[str, Any]) -> bool:
    """Whether the token says that several factors were asked for (RFC 8176, "mfa")."""
    methods = claims.get("amr")
    return (isinstance(methods, list) and "mfa" in methods) or claims.get("acr") in {
        *_STRONG_ACR,
        *provider.strong_acr,
    }


def _text_of(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return "".join(filter(str.isprintable, value))[:_MAX_TEXT].strip() if isinstance(value, str) else ""
