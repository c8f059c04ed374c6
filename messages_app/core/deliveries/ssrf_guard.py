"""
The addresses that a webhook may reach: those on the internet, and those in networks that the settings name.

A host name is looked up once for each call, and the call goes to an address from that lookup: a second
lookup after the check could return another address.

Source: docs/contributing/spec/promises.md, S-43.
"""

import socket
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings

Address = IPv4Address | IPv6Address
# Takes a host and a port, and returns the addresses of the host, the preferred one first.
Resolve = Callable[[str, int], list[str]]

_INTERNET = ip_network("2000::/3")  # the part of IPv6 that is assigned
_TRANSLATED = ip_network("64:ff9b::/96")  # IPv4 addresses for hosts that have only IPv6 (RFC 6052)
# Further networks of IANA's registries of special addresses, some of which Python treats as public, depending
# on its version: protocol assignments, with the metadata service of Oracle, AS112, AMT, 6to4 relays,
# addresses for documentation, and segment routing.
_RESERVED = tuple(
    map(
        ip_network,
        (
            *("192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24"),
            *("2001::/23", "2620:4f:8000::/48", "3fff::/20", "5f00::/16"),
        ),
    )
)
_METADATA = {ip_address("168.63.129.16")}  # the one of Azure; all others have private addresses


class RefusedAddress(Exception):
    """A webhook may not be sent to this address. The text says why."""


class _PinnedConnection(HTTPConnection):
    """A connection to `address`, whatever address the host name has now."""

    address = ""

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class _PinnedTlsConnection(HTTPSConnection, _PinnedConnection):
    """The same over TLS. http.client compares the certificate with the host name."""


CONNECTIONS: dict[str, type[_PinnedConnection]] = {"https": _PinnedTlsConnection, "http": _PinnedConnection}


def look_up_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host, without repeats, as the system's resolver orders them."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(socket_address[0]) for *_, socket_address in entries))


def connect_guarded(scheme: str, host: str, port: int, *, timeout: float, resolve: Resolve) -> HTTPConnection:
    """
    Look up a host, and connect to the first of its addresses that may be called and answers.

    Raises:
        OSError: the host is unknown, or no address answers.
        RefusedAddress: none of its addresses may be called.
    """
    failure = OSError("The host name has no address.")
    for address in _allowed_addresses(host, resolve(host, port)):
        connection = CONNECTIONS[scheme](host, port, timeout=timeout)
        connection.address = address
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def refuse_internal_address(host: str) -> None:
    """Raise RefusedAddress if a host is an IP address that may not be called."""
    try:
        address = ip_address(host)
    except ValueError:
        return  # a name: its addresses are checked when it is called
    if not may_reach(address):
        raise _make_refusal(host)


def may_reach(address: Address) -> bool:
    """Whether an address is on the internet, or in a network of the setting WEBHOOK_NETWORKS."""
    destination = _destination_of(address)
    if any(each in network for each in (address, destination) for network in settings.WEBHOOK_NETWORKS):
        return True
    return _is_on_internet(destination)


def _allowed_addresses(host: str, addresses: list[str]) -> list[str]:
    allowed = [address for address in addresses if may_reach(ip_address(address))]
    if addresses and not allowed:
        raise _make_refusal(f"{host}, at {', '.join(addresses)},")
    return allowed


def _make_refusal(host: str) -> RefusedAddress:
    return RefusedAddress(f"{host} is not on the internet or in a network of HUBCONSOLE_WEBHOOK_NETWORKS.")


def _destination_of(address: Address) -> Address:
    """Return the address that packets go to: the IPv4 address that an IPv6 address may represent."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_on_internet(address: Address) -> bool:
    if address in _METADATA or any(address in network for network in _RESERVED):
        return False
    if address.is_multicast or not address.is_global:
        return False
    return address.version == 4 or address in _INTERNET
