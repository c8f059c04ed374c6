"""
The host that passkeys belong to, and the addresses of pages whose answers count (WebAuthn: relying party,
origin).

Both come from the settings. The Host header only chooses between them.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

_LOCAL = "localhost"


@dataclass(frozen=True, kw_only=True)
class RelyingParty:
    """
    A host with passkeys.

    Args:
        host: the name of the host, without a port; each passkey belongs to one.
        origins: scheme, host and port of the pages that may ask for its passkeys.
    """

    host: str
    origins: frozenset[str]


def find_relying_party(request: HttpRequest) -> RelyingParty | None:
    """Return the host of a request; None if it can have no passkeys: by address, or by a pattern of hosts."""
    address = request.get_host().lower()
    host = urlsplit(f"//{address}").hostname or ""
    origins = frozenset(origin for origin in _list_origins() if urlsplit(origin).hostname == host)
    if settings.IS_LOOPBACK and host == _LOCAL:
        # `up` serves any port of this machine, without TLS. Browsers allow it for this name only.
        origins |= {f"http://{address}"}
    return RelyingParty(host=host, origins=origins) if origins else None


def _list_origins() -> list[str]:
    if settings.PASSKEY_ORIGINS:
        return list(settings.PASSKEY_ORIGINS)
    return [f"https://{host.lower()}" for host in settings.ALLOWED_HOSTS if _is_name(host)]


def _is_name(host: str) -> bool:
    """Whether a host is one name: not a pattern of names, and not an address."""
    if host.startswith((".", "*", "[")) or host == _LOCAL:
        return False
    try:
        ip_address(host)
    except ValueError:
        return True
    return False
