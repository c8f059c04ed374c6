"""Hosts in error texts: names of hosts distinguish external systems, ports and IP addresses do not."""

import re

URL = re.compile(
    r"""\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@"'<>]{1,100}@)?([\w.-]{1,200})(?::\d+)?"""
    r"""([^\s"'<>)\],;]*)""",
    re.IGNORECASE,
)
_NAME = r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,20}"
_HOST = re.compile(rf"({_NAME}|localhost)(?::\d+)?(?:/.*)?")
_HOST_AND_PORT = re.compile(r"([a-z][a-z0-9-]{1,60}):\d{2,5}")
_DOTTED = re.compile(rf"(?<![\w.@/$-])({_NAME})(?![\w(.]*[\w(])")
_LOOKED_UP = re.compile(
    r"(?:unknownhostexception:|lookup|enotfound|resolve host:?|host name)\s+"
    r"[\"'<]?([a-z][\w.-]{1,100}[a-z0-9])",
    re.IGNORECASE,
)
_BEHIND_WORD = re.compile(
    r"(?:host|to|by|from|refused|econnrefused|at)[:=]?\s+[\"'<]?([a-z][\w-]{1,60}):\d{2,5}\b", re.IGNORECASE
)
_WORD_OF_PATH = re.compile(r"[a-z]{1,30}|v\d{1,2}")
# The ending of a name of a file, or the beginning of one of a package.
_FILE_ENDINGS = frozenset(
    (
        *(
            "java",
            "xml",
            "xsd",
            "json",
            "txt",
            "csv",
            "py",
            "cs",
            "go",
            "js",
            "edi",
            "pdf",
            "zip",
            "gz",
            "log",
        ),
        *(
            "properties",
            "yml",
            "yaml",
            "dat",
            "html",
            "wsdl",
            "xslt",
            "jar",
            "kt",
            "rb",
            "sql",
            "ini",
            "conf",
        ),
        *("tmp", "xlsx", "dll", "exe"),
    )
)
_PACKAGES = ("java.", "javax.", "org.apache", "com.sun", "www.w3")


def find_host(text: str) -> str:
    """Return the name of the host in a text, without port; empty if it has none, or only an address."""
    for pattern in (URL, _LOOKED_UP, _BEHIND_WORD):
        match = pattern.search(text)
        if match and not match[1].replace(".", "").isdigit() and match[1].lower() not in ("to", "host"):
            return match[1].lower().rstrip(".")
    hosts = (match[1] for match in _DOTTED.finditer(text))
    return next((host for host in hosts if _is_host(host) and not host.startswith(_PACKAGES)), "")


def host_of_word(word: str) -> str:
    """Return the host if a word is one, perhaps with a port and a path; otherwise nothing."""
    match = _HOST_AND_PORT.fullmatch(word) or _HOST.fullmatch(word)
    return match[1] if match and _is_host(match[1]) else ""


def is_file(name: str) -> bool:
    """Return whether a name has the ending of a file."""
    return name.rpartition(".")[2].lower() in _FILE_ENDINGS


def _is_host(name: str) -> bool:
    return name.rpartition(".")[2] not in _FILE_ENDINGS


def plain_url(match: re.Match[str]) -> str:
    """
    Return host and path of an address (URL), without scheme, credentials, port, ids and query.

    A final dot ends the sentence, not the address.
    """
    return match[1].lower().rstrip(".") + _plain_path(match[2].rstrip("."))


def _plain_path(path: str) -> str:
    """Return the words of a path up to the last one. Behind a plural is one of many, so it is a slot."""
    parts: list[str] = []
    for part in path.partition("?")[0].partition("#")[0].strip("/").split("/"):
        is_one_of_many = bool(parts) and parts[-1].endswith("s")
        parts.append(part if _WORD_OF_PATH.fullmatch(part) and not is_one_of_many else "…")
    while parts and parts[-1] == "…":
        parts.pop()
    return "/" + "/".join(parts) if parts else ""
