"""
Which addresses a webhook may reach: those of the internet, and of others what the settings name.

A name is looked up once for each call, and the call goes to what was found then: one that is checked and
looked up again could lead elsewhere the second time.

Source: docs/spec/promises.md, S-43.
"""

import socket
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings

Address = IPv4Address | IPv6Address
# Given a host and a port, returns the addresses that the host has, the preferred first.
Resolve = Callable[[str, int], list[str]]

_INTERNET = ip_network("2000::/3")  # all of IPv6 that is given out
_TRANSLATED = ip_network("64:ff9b::/96")  # an IPv4 address for the ones who have IPv6 alone (RFC 6052)
# What an older Python takes for the internet: protocols' own, where Oracle's metadata are; documentation.
_NOT_GIVEN_OUT = (ip_network("192.0.0.0/24"), ip_network("3fff::/20"))
_METADATA = {ip_address("168.63.129.16")}  # Azure's; all others have private addresses


class RefusedAddress(Exception):
    """Nothing is sent there; the message says why."""


class _ToAddress(HTTPConnection):
    """Goes to `address`, whatever the host's name would lead to now."""

    address = ""

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class _ToAddressInTls(HTTPSConnection, _ToAddress):
    """The same; http.client holds the certificate against the host's name."""


CONNECTIONS = {"https": _ToAddressInTls, "http": _ToAddress}


def look_up(host: str, port: int) -> list[str]:
    """Return what the system says that a host's addresses are."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(place[0] for *_, place in found))


def connected(scheme: str, host: str, port: int, *, timeout: float, resolve: Resolve) -> HTTPConnection:
    """
    Look the host up, and connect to the first of its addresses that may be called and can be.

    Raises:
        OSError: the name is not known, or no address answers.
        RefusedAddress: no address may be called.
    """
    failed = OSError("The host name has no address.")
    for address in _allowed(host, resolve(host, port)):
        connection = CONNECTIONS[scheme](host, port, timeout=timeout)
        connection.address = address
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            failed = error
        else:
            return connection
    raise failed


def refuse_inside(text: str) -> None:
    """Raise RefusedAddress if a host is written as an address that may not be called."""
    try:
        address = ip_address(text)
    except ValueError:
        return  # a name; what it leads to is seen when it is called
    if not may_reach(address):
        raise _refused(text)


def may_reach(address: Address) -> bool:
    """Whether it is an address of the internet, or of the ones that the settings' WEBHOOK_NETWORKS name."""
    meant = _meant(address)
    if any(each in network for each in (address, meant) for network in settings.WEBHOOK_NETWORKS):
        return True
    return _is_of_the_internet(meant)


def _allowed(host: str, found: list[str]) -> list[str]:
    allowed = [address for address in found if may_reach(ip_address(address))]
    if found and not allowed:
        raise _refused(f"{host}, at {', '.join(found)},")
    return allowed


def _refused(what: str) -> RefusedAddress:
    return RefusedAddress(f"{what} is not on the internet or in a network of HUBCONSOLE_WEBHOOK_NETWORKS.")


def _meant(address: Address) -> Address:
    """Return where the packets go: of an IPv6 address that represents an IPv4 one, that one."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_of_the_internet(address: Address) -> bool:
    if address in _METADATA or any(address in network for network in _NOT_GIVEN_OUT):
        return False
    if address.is_multicast or not address.is_global:
        return False
    return address.version == 4 or address in _INTERNET
