"""
The identity providers of a company (OpenID Connect), as the environment or a file declares them.

The settings import this module. Source: docs/howto/company_accounts.md, "Settings".
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

# In addresses of the console that are registered at the provider.
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_ONLY = "oidc"
_PREFIX = "HUBCONSOLE_OIDC_"
_REQUIRED = ("issuer", "client_id", "client_secret")
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class InvalidProvider(Exception):
    """A declaration is not complete or not valid; the text names the setting."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """
    An identity provider.

    Args:
        key: its name in addresses of the console.
        name: its name on pages.
        issuer: its address, which each of its tokens has.
        client_id, client_secret: of the console, as registered there.
        groups_claim: the claim with the groups of a user.
        scopes: asked for at each log-in, as words with spaces between them.
        strong_acr: values of the claim `acr` of a log-in with a second factor, in addition to the usual
            ones.
    """

    key: str
    name: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    groups_claim: str = "groups"
    scopes: str = "openid profile email"
    strong_acr: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


def provider_with(key: object) -> Provider | None:
    """Return the provider of a key; None if none has it."""
    return _all_providers().get(str(key))


def provider_at(issuer: str) -> Provider | None:
    """Return the provider with this issuer; None if it is no longer declared."""
    return next((provider for provider in _all_providers().values() if provider.issuer == issuer), None)


def _all_providers() -> Mapping[str, Provider]:
    providers: Mapping[str, Provider] = settings.OIDC_PROVIDERS
    return providers


def read_providers(environment: Mapping[str, str]) -> dict[str, Provider]:
    """
    Return the declared providers by key, in the order of the log-in page.

    Raises:
        InvalidProvider: a value is missing or not valid, or the file cannot be read.
    """
    values = {
        name.removeprefix(_PREFIX).lower(): value.strip()
        for name, value in environment.items()
        if name.startswith(_PREFIX) and name != f"{_PREFIX}FILE" and value.strip()
    }
    providers = {_ONLY: _make_provider(_ONLY, values, _PREFIX)} if values else {}
    file = environment.get(f"{_PREFIX}FILE", "").strip()
    for key, table in _read_tables(Path(file)).items() if file else ():
        if key in providers:
            raise InvalidProvider(f"{file}: [{key}] is also the provider of {_PREFIX}ISSUER.")
        providers[key] = _make_provider(key, table, f"{file}: [{key}] ")
    return providers


def _read_tables(path: Path) -> dict[str, dict[str, Any]]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidProvider(f"{_PREFIX}FILE cannot be read: {path}: {error}.") from error
    for key, table in tables.items():
        if not isinstance(table, dict):
            raise InvalidProvider(f"{path}: {key} must be a table of a provider, such as [{_ONLY}].")
        if not _KEY.fullmatch(key):
            raise InvalidProvider(f"{path}: [{key}] must have small letters, digits and hyphens, up to 31.")
    return tables


def _make_provider(key: str, values: Mapping[str, Any], where: str) -> Provider:
    def name_of(setting: str) -> str:
        return where + (setting.upper() if where == _PREFIX else setting)

    names = set(Provider.__dataclass_fields__) - {"key"}
    if unknown := sorted(set(values) - names):
        raise InvalidProvider(f"{name_of(unknown[0])} is not a setting of a provider.")
    if missing := [each for each in _REQUIRED if not values.get(each)]:
        raise InvalidProvider(f"{name_of(missing[0])} is missing.")
    chosen = dict(values)
    strong = chosen.pop("strong_acr", [])
    strong = strong.split() if isinstance(strong, str) else strong
    if not isinstance(strong, list) or not all(isinstance(each, str) for each in strong):
        raise InvalidProvider(f"{name_of('strong_acr')} must be a list of texts.")
    for setting, value in chosen.items():
        if not isinstance(value, str) or not value.isprintable():
            raise InvalidProvider(f"{name_of(setting)} must be a printable text.")
    if not _is_address(chosen["issuer"]):
        raise InvalidProvider(f"{name_of('issuer')} must be an https address without a query.")
    if "openid" not in chosen.setdefault("scopes", Provider.scopes).split():
        raise InvalidProvider(f"{name_of('scopes')} must include openid.")
    chosen.setdefault("name", urlsplit(chosen["issuer"]).hostname or key)
    return Provider(key=key, strong_acr=tuple(strong), **chosen)


def _is_address(text: str) -> bool:
    """Whether a text is an address of a provider; without TLS, only on this machine."""
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return False
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    return bool(host) and is_safe and not parts.query and not parts.fragment
