"""The checks of `up` before it starts anything, and its preparation of the database."""

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import dj_database_url
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models.functions import Now

from hubconsole.celery import app
from hubconsole.checks.servers import MIN_FREE_BYTES
from hubconsole.private_files import close_home, make_home
from hubconsole.suitability import contracting_migration, refusal_of_database, refusal_of_server
from messages_app.access.models import ApiToken
from messages_app.access.token_services import MAX_DAYS, create_token, digest_key
from messages_app.audit.services import SYSTEM
from messages_app.core.embedded_servers import UP_LOCK, CannotStart, try_to_listen
from messages_app.demo.hub_tables import NoPlace, attach_demo_hub

_A_DAY = timedelta(days=1)
_OF_DEMO_SERVICES = ["payload:read", "queue:consume"]
ADMIN = "admin"


@contextlib.contextmanager
def only_one(home: Path) -> Iterator[None]:
    """
    Hold the home's lock inside the block; the system releases it however the process ends.

    Raises:
        CannotStart: another `up` holds it, or the home cannot be written.
    """
    with contextlib.ExitStack() as stack:
        try:
            make_home(home)
            close_home(home)
            file = stack.enter_context((home / UP_LOCK).open("a+"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
        except BlockingIOError as error:
            pid = (home / UP_LOCK).read_text()
            raise CannotStart(f"`up` is already running in {home} (process {pid}).") from error
        except OSError as error:
            raise CannotStart(f"HUBCONSOLE_HOME {home} cannot be used: {error.strerror}.") from error
        yield


def check_address(bind: str, port: int) -> None:
    """
    Check that the pages can be served at this address.

    Raises:
        CannotStart: they cannot.
    """
    try:
        try_to_listen(bind, port)
    except OSError as error:
        raise CannotStart(
            f"Port {port} of {bind} cannot be used ({error.strerror}): "
            "free it, or choose another with --port and --bind."
        ) from error


def check_disk(home: Path, *, needed_bytes: int = MIN_FREE_BYTES) -> None:
    """
    Check that the home's disk has enough free space.

    Raises:
        CannotStart: it has not.
    """
    free = shutil.disk_usage(home).free
    if free < needed_bytes:
        raise CannotStart(
            f"The disk of {home} has {free // 1_000_000} MB left; {needed_bytes // 1_000_000} MB are needed."
        )


def use_database(url: str) -> None:
    """Make this process use the database at `url`, which was unknown when it read the settings."""
    address = dj_database_url.parse(url)
    connection.settings_dict.update(
        HOST=address["HOST"],
        PORT=address["PORT"],
        USER=address["USER"],
        PASSWORD=address["PASSWORD"],
        NAME=address["NAME"],
    )


def use_broker(url: str) -> None:
    """Make this process use the broker at `url`, which was unknown when it read the settings."""
    app.conf.update(broker_url=url)


def use_demo_hub(name: str, *, times: Mapping[str, str]) -> None:
    """
    Attach the console to a hub of the demo, which is created if it is missing.

    Args:
        name, times: as of attach_demo_hub.

    Raises:
        CannotStart: the database has no place for such a hub, or `HUB_RULES` contradicts it.
    """
    if refused := refusal_of_server():
        raise CannotStart(". ".join(refused))
    if settings.HUB_RULES not in ("", name):
        raise CannotStart(f"--demo-hub {name} contradicts HUB_RULES={settings.HUB_RULES}: unset HUB_RULES.")
    try:
        attach_demo_hub(name, times=times)
    except NoPlace as error:
        raise CannotStart(
            f"--demo-hub {name} needs a database of its own, but {error}: set HUBCONSOLE_HOME to"
            " a new folder."
        ) from error


def check_version() -> None:
    """
    Check that this version can use and migrate the database, without changing it.

    Raises:
        CannotStart: a newer version has removed what this one uses, it or its server is too old for this
            version, or it has the tables of a hub.
    """
    if why := refusal_of_database():
        raise CannotStart(why)
    loader = MigrationLoader(connection)
    if newer := contracting_migration(set(loader.applied_migrations) - set(loader.disk_migrations)):
        raise CannotStart(
            f"The database belongs to a newer version of Hub Console (it has messages_app.{newer}). Install"
            " that version."
        )


def create_first_user(home: Path) -> str | None:
    """
    Create the user `admin` on the first start, with a password that is kept in the home.

    Returns:
        The password, or None if it has been changed.
    """
    path = home / "admin_password"
    users = get_user_model().objects
    if not users.filter(is_superuser=True).exists():
        users.create_superuser(ADMIN, password=_kept_password(path))
    admin = users.filter(username=ADMIN).first()
    password = path.read_text().strip() if path.exists() else ""
    return password if admin and admin.check_password(password) else None


def services_token(home: Path) -> Path:
    """Return the file with the token of the demo's services, which may pull CP messages and read objects."""
    path = home / "demo_services_token"
    tokens = path.exists() and ApiToken.objects.filter(
        key_sha256=digest_key(path.read_text().strip()),
        expires_at__gt=Now() + _A_DAY,
        revoked_at=None,
        scopes=_OF_DEMO_SERVICES,
    )
    if tokens and tokens.exists():
        return path
    user, _ = get_user_model().objects.get_or_create(username="demo-services")
    user.groups.set(Group.objects.filter(name__in=("cp_service", "view_payload")))
    _, key = create_token(
        user=user, name="demo services", actor=SYSTEM, days=MAX_DAYS, scopes=_OF_DEMO_SERVICES
    )
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(key + "\n")
    return path


def _kept_password(path: Path) -> str:
    if not path.exists():
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(12) + "\n")
    return path.read_text().strip()
