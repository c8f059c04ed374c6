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
_FILE_ENDINGS = frozenset(
    (
        *("java", "kt", "kts", "scala", "groovy", "py", "rb", "cs", "go", "js", "jsx", "ts"),
        *("tsx", "vue", "php", "cpp", "c", "h", "sql", "class", "jar", "war", "ear", "dll"),
        *("so", "exe", "bin", "xml", "xsd", "xsl", "xslt", "wsdl", "dtd", "json", "avsc", "avro"),
        *(
            "proto",
            "parquet",
            "properties",
            "yml",
            "yaml",
            "toml",
            "ini",
            "conf",
            "html",
            "txt",
            "csv",
            "dat",
        ),
        *("edi", "pdf", "doc", "docx", "xls", "xlsx", "png", "jpg", "tiff", "zip", "gz", "tar"),
        *("log", "tmp", "bak", "pem", "crt", "key", "jks", "pfx"),
    )
)
# How names of packages begin; text is cut off, so the name of a class may be missing at the end.
_PACKAGE_ROOTS = frozenset(
    {"com", "org", "edu", "java", "javax", "jakarta", "sun", "kotlin", "scala", "groovy", "akka"}
)
# Other packages begin with a word that hosts begin with, too; these hosts end with one of the second words.
_RARE_ROOTS = frozenset({"net", "io"})
_TOP_DOMAINS = frozenset({"com", "org", "net", "example", "local", "internal"})
_STANDARDS = ("www.w3",)


def find_host(text: str) -> str:
    """Return the name of the host in a text, without port; empty if it has none, or only an address."""
    for pattern in (URL, _LOOKED_UP, _BEHIND_WORD):
        match = pattern.search(text)
        if match and not match[1].replace(".", "").isdigit() and match[1].lower() not in ("to", "host"):
            return match[1].lower().rstrip(".")
    hosts = (match[1] for match in _DOTTED.finditer(text))
    return next((host for host in hosts if _is_host(host) and not _is_package(host)), "")


def host_of_word(word: str) -> str:
    """Return the host if a word is one, perhaps with a port and a path; otherwise nothing."""
    match = _HOST_AND_PORT.fullmatch(word) or _HOST.fullmatch(word)
    return match[1] if match and _is_host(match[1]) else ""


def is_file(name: str) -> bool:
    """Return whether a name has the ending of a file."""
    return name.rpartition(".")[2].lower() in _FILE_ENDINGS


def _is_host(name: str) -> bool:
    return name.rpartition(".")[2] not in _FILE_ENDINGS


def _is_package(name: str) -> bool:
    root, end = name.partition(".")[0], name.rpartition(".")[2]
    return (
        root in _PACKAGE_ROOTS
        or (root in _RARE_ROOTS and end not in _TOP_DOMAINS)
        or name.startswith(_STANDARDS)
    )


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
