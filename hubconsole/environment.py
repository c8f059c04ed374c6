"""
Reads settings from the environment. An invalid value stops the start with a line that names the setting.
"""

import os
import re
import secrets
from base64 import b64decode
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import NoReturn

import dj_database_url

from hubconsole.private_files import make_home
from hubconsole.readings import note_reading, write_choices

_MAX_NAME = 40
# An address with several servers of one database. dj_database_url knows only one.
_SERVERS = re.compile(
    r"(?P<before>[a-z0-9+]+://([^@/]*@)?)(?P<servers>[^@/?#]*,[^@/?#]*)(?P<after>[/?#].*|$)"
)
_SERVER = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-fA-F:]+\])(:(?P<port>\d{1,5}))?", re.ASCII)
_PORT = "5432"
_ORIGIN = re.compile(r"https://[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)
_WEBHOOK_PREFIX, _MAX_WEBHOOK_SECRETS = "whsec_", 2


# Shown instead of a secret.
MASKED = "***"
_AFTER_SLASHES = re.compile(r"(?<=//)\S+")
_CREDENTIALS = re.compile(r"(?<=password=)[^&]*|(?<=;token=)[^;]*")


def mask_address(text: str) -> str:
    """Return an address without its user information, passwords and tokens."""
    return _CREDENTIALS.sub(MASKED, _AFTER_SLASHES.sub(_mask_user, text))


def _mask_user(match: re.Match[str]) -> str:
    _user, at, place = match[0].rpartition("@")
    return f"{MASKED}@{place}" if at else place


def stop_start(text: str) -> NoReturn:
    raise SystemExit(f"hubconsole: {text}")


def read_text(name: str, *, default: str = "", values: str = "text") -> str:
    """Return any text. `values` says what it is, for the manual."""
    note_reading(name, values, default)
    return os.environ.get(name) or default


def read_flag(name: str, *, default: bool = False) -> bool:
    note_reading(name, "`0` or `1`", int(default))
    value = os.environ.get(name, "").strip().lower() or str(int(default))
    if value not in {"", "0", "1", "false", "true", "no", "yes", "off", "on"}:
        stop_start(f"{name} must be 1 or 0, not {value!r}.")
    return value in {"1", "true", "yes", "on"}


def read_names(name: str, default: str = "") -> list[str]:
    """Return the words of a comma-separated list."""
    note_reading(name, "list, comma-separated", default)
    words = (os.environ.get(name) or default).split(",")
    return [word.strip() for word in words if word.strip()]


def read_origins(name: str) -> list[str]:
    """Return a comma-separated list of the scheme, host and port of pages."""
    note_reading(name, "addresses, comma-separated")
    origins = [word.lower() for word in read_names(name)]
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            stop_start(f"{name} must be addresses such as https://hub.example.org:8443, not {origin[:60]!r}.")
    return origins


def some_of(name: str, choices: tuple[str, ...]) -> list[str]:
    """Return the words of a comma-separated list, each of which is one of the choices."""
    note_reading(name, f"some of {write_choices(choices)}, comma-separated")
    words = read_names(name)
    for word in words:
        if word not in choices:
            stop_start(f"{name} must be a list of {', '.join(choices)}, not {word!r}.")
    return words


def verify_brokers(urls: str) -> str:
    """Return addresses of brokers. With TLS, certificates are checked unless an address forbids it."""
    return ";".join(map(_verify_broker, urls.split(";")))


def _verify_broker(url: str) -> str:
    # By default, kombu would accept any certificate of such a server; its client for RabbitMQ checks it.
    if not url.startswith("rediss://") or "ssl_cert_reqs=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}ssl_cert_reqs=required"


def read_networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the networks of a comma-separated list; a single address is a network of one."""
    note_reading(name, "addresses and networks, comma-separated")
    networks = []
    for word in read_names(name):
        try:
            networks.append(ip_network(word))
        except ValueError as error:
            stop_start(f"{name} must be addresses and networks such as 10.1.0.0/16: {error}.")
    return networks


def read_webhook_secrets(name: str) -> list[str]:
    """Return one secret, or two during a rotation: "whsec_" and the Base64 form of 24 to 64 random bytes."""
    note_reading(name, "one or two secrets, comma-separated")
    words = read_names(name)
    if len(words) > _MAX_WEBHOOK_SECRETS or not all(map(_is_webhook_secret, words)):
        stop_start(
            f"{name} must be whsec_ and 24 to 64 random bytes in Base64, as"
            ' `echo "whsec_$(openssl rand -base64 32)"` writes them, or two of these with a comma between.'
        )
    return words


def _is_webhook_secret(word: str) -> bool:
    prefix, secret = word[: len(_WEBHOOK_PREFIX)], word[len(_WEBHOOK_PREFIX) :]
    try:
        size = len(b64decode(secret, validate=True))
    except ValueError:
        return False
    return prefix == _WEBHOOK_PREFIX and 24 <= size <= 64


def minutes_or_off(name: str, default: int, *, least: int, most: int) -> int:
    """Return a number of minutes within the bounds, or 0 to disable the limit."""
    note_reading(name, f"0, or {least} to {most} minutes", default)
    text = os.environ.get(name, "").strip() or str(default)
    minutes = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    if minutes and not least <= minutes <= most:
        stop_start(f"{name} must be 0 or a whole number of minutes from {least} to {most}, not {text!r}.")
    return minutes


def whole_number(name: str, *, default: int, least: int = 1) -> int:
    """Return a number of at least `least`."""
    note_reading(name, f"whole number from {least}", default)
    text = os.environ.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        stop_start(f"{name} must be a whole number from {least} to {10**9 - 1}, not {text[:40]!r}.")
    return int(text)


def decimal_number(name: str, *, default: float) -> float:
    """Return a number of 0 or more, with or without decimals."""
    note_reading(name, "number from 0", f"{default:.0f}")
    text = os.environ.get(name, "").strip() or str(default)
    if not _NUMBER.fullmatch(text):
        stop_start(f"{name} must be a number such as 30 or 0.5, not {text[:40]!r}.")
    return float(text)


def whole_number_if_set(name: str) -> int | None:
    """Return a number of 1 or more, or None if the variable is not set."""
    note_reading(name, "whole number from 1")
    number = whole_number(name, default=1)
    return number if os.environ.get(name, "").strip() else None


def read_range_files(name: str) -> Path | None:
    """Return a folder with the files 00000.txt to FFFFF.txt of a list of passwords; None: none is set."""
    note_reading(name, "folder")
    text = os.environ.get(name, "").strip()
    if text and not (Path(text) / "00000.txt").is_file():
        stop_start(f"{name} must be a folder with the files 00000.txt to FFFFF.txt, not {text!r}.")
    return Path(text) if text else None


def file_mask(name: str) -> int:
    """Return the umask of all processes: 077, or another that denies users outside the group all access."""
    note_reading(name, "octal mask", "077")
    text = os.environ.get(name, "").strip() or "077"
    if not re.fullmatch("0?0[0-7]7", text):
        stop_start(
            f"{name} must be an octal mask that gives other users no access, such as 077 or 027, not "
            f"{text[:40]!r}."
        )
    return int(text, 8)


def one_of(name: str, choices: tuple[str, ...], *, default: str = "") -> str:
    """Return one of the choices; if the variable is not set, the default or the first."""
    note_reading(name, write_choices(choices), default or choices[0])
    word = os.environ.get(name) or default or choices[0]
    if word not in choices:
        stop_start(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {word!r}.")
    return word


def hub_sign(name: str, colour: str, colours: tuple[str, ...]) -> tuple[str, str]:
    """Return the name of the hub for every page, and its colour, by default the first; empty if not set."""
    note_reading(name, f"text of up to {_MAX_NAME} characters")
    text = " ".join(os.environ.get(name, "").split())
    if len(text) > _MAX_NAME or not text.isprintable():
        stop_start(f"{name} must have up to {_MAX_NAME} printable characters, not {text[:60]!r}.")
    if os.environ.get(colour) and not text:
        stop_start(f"{colour} needs {name}: the colour is that of the name at the top of every page.")
    return text, one_of(colour, colours)


def read_database(name: str, url: str) -> dj_database_url.DBConfig:
    """
    Return Django's settings of a database, given its address in the setting `name`.

    With several servers, as in postgresql://user:password@first,second:5433/hub, each connection goes to the
    one that accepts writes, unless the address has another `target_session_attrs`.
    """
    several = _SERVERS.fullmatch(url)
    try:
        config = dj_database_url.parse(several.expand(r"\g<before>localhost\g<after>") if several else url)
    except ValueError as error:
        stop_start(f"{name} is not a database address: {mask_address(str(error))}")
    if config["ENGINE"] != "django.db.backends.postgresql":
        stop_start(f"{name} must name a PostgreSQL database (postgresql://...).")
    config["ENGINE"] = "hubconsole"
    # On an attached hub, the console's tables and its views of the hub's are in the schema hubconsole.
    # Elsewhere there is no such schema.
    options = config.setdefault("OPTIONS", {})
    if several:
        config["HOST"], config["PORT"] = _hosts_and_ports(name, several["servers"])
        options.setdefault("target_session_attrs", "read-write")
    if "search_path" not in options.get("options", ""):
        options["options"] = f'-c search_path=hubconsole,"$user",public {options.get("options", "")}'.strip()
    return config


def _hosts_and_ports(name: str, servers: str) -> tuple[str, str]:
    """Return hosts and ports with commas, as libpq takes them."""
    matches = [_SERVER.fullmatch(server) for server in servers.split(",")]
    if None in matches:
        stop_start(f"{name} must have servers such as first.example.org,second.example.org:5433.")
    parts = [server.group("host", "port") for server in matches if server]
    return ",".join(host.strip("[]") for host, _ in parts), ",".join(port or _PORT for _, port in parts)


def kept_secret_key(home: Path) -> str:
    """Return the key in `home`. The first start creates it, readable only by its owner."""
    path = home / "secret_key"
    if not path.exists():
        make_home(home)
        # If it exists now, another process of the same first start wrote it.
        with (
            suppress(FileExistsError),
            open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file,
        ):
            file.write(secrets.token_urlsafe(64))
    return path.read_text().strip()


# Times of the hub's retries. A value that is set overrides what the console reads from the hub or assumes
# (messages_app/messages/hub_times.py).
# partlyFailedRepeatTime: the interval at which the hub looks for messages to retry.
HUB_POLL_SECONDS = whole_number_if_set("HUB_POLL_SECONDS")
# partlyFailedInterval: the pause of a message after a failed attempt or a restart.
HUB_FAILED_REST_SECONDS = whole_number_if_set("HUB_FAILED_REST_SECONDS")
# postponedInterval: the pause of a message that yielded to another one.
HUB_POSTPONED_REST_SECONDS = whole_number_if_set("HUB_POSTPONED_REST_SECONDS")
