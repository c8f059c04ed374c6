"""
The external system of a failure: the host in its text, else that of its last call.

Source: docs/how_it_works/incidents.md.
"""

from messages_app.shared.error_hosts import find_host
from messages_app.shared.system_names import MAX_SYSTEM, name_system

_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_MAX_SHAPES = 20_000
# Hosts in texts that name a standard, and no system.
_STANDARDS = (
    "w3.org",
    "xmlsoap.org",
    "oasis-open.org",
    "apache.org",
    "springframework.org",
    "docs.oracle.com",
)


class SystemNames:
    """Finds the systems of many failures quickly, because most texts differ only in their digits."""

    def __init__(self) -> None:
        # By the text with zeros; None: the host has digits, so each text is read.
        self._hosts: dict[bytes, str | None] = {}

    def find_system(self, text: str, address: str) -> str:
        """
        Return the name of the external system; empty if neither names one.

        Args:
            address: of the last request without an answer or with a failed one, or the name of a failed call.
        """
        return self._find_in_text(text) or (name_system(address) if address else "")

    def _find_in_text(self, text: str) -> str:
        if "." not in text and ":" not in text:
            return ""
        shape = text.encode(errors="surrogatepass").translate(_ZEROS)
        host = self._hosts.get(shape, "?")
        if host == "?":
            host = _find_system_in(text)
            if len(self._hosts) < _MAX_SHAPES:
                self._hosts[shape] = None if any(map(str.isdigit, host)) else host
        return _find_system_in(text) if host is None else host


def _find_system_in(text: str) -> str:
    host = find_host(text)
    return "" if host.endswith(_STANDARDS) else host[:MAX_SYSTEM]
