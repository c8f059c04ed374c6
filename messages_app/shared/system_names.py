"""The name of the external system of a call or request: counts of calls and incidents use the same one."""

from functools import lru_cache

from messages_app.shared.error_hosts import find_host

# The maximum length of a name.
MAX_SYSTEM = 200
_MAX_KEPT = 20_000
# Camel's servlet receives requests of other systems, and calls none.
_SERVLET = "servlet:"


def name_system(address: str) -> str:
    """
    Return the host of an address or of the name of a call, or the name itself without credentials.

    It is empty for a servlet of the hub, which is not an external system.
    """
    return "" if is_servlet(address) else _name_address(_cut_path(address))


def is_servlet(address: str) -> bool:
    """Return whether an address is an endpoint of the hub itself, which other systems call."""
    return address[: len(_SERVLET)].lower() == _SERVLET


@lru_cache(_MAX_KEPT)
def _name_address(address: str) -> str:
    """Return the host of an address, or the name itself, without parameters and credentials."""
    host = find_host(address)
    if host:
        return host[:MAX_SYSTEM]
    return address.partition("?")[0].rpartition("@")[2].lower()[:MAX_SYSTEM]


def _cut_path(address: str) -> str:
    """Return an address without path, so that many addresses of a system are one."""
    head, mark, rest = address.partition("://")
    host = rest.partition("/")[0]
    return f"{head}{mark}{host}" if host else address
