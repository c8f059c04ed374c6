"""
A stock PostgreSQL: Debian's package with Debian's defaults, which a customer's hub most often runs on.

`TESTS_POSTGRES=stock` lets a run have it in place of the embedded server. Its planner is three versions
older, its settings are the defaults, and it compiles expensive plans (`jit`); the embedded server cannot.
`python -m tests.support.stock` installs the package where it is missing, and prints the files that
`make test-slow` runs so.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

from hubconsole.devserver.processes import Account, Program
from messages_app.core.embedded_servers import (
    DATABASE_ROLE,
    LOOPBACK,
    POSTGRES,
    CannotStart,
    claim_endpoint,
    database_url,
)

PACKAGE = "postgresql-15"
# TESTS_POSTGRES_BINARIES names those of another version.
BINARIES = Path(os.environ.get("TESTS_POSTGRES_BINARIES") or "/usr/lib/postgresql/15/bin")

# Files that measure or explain: these also run against a stock server. Everything else runs once.
FILES = (
    "tests/messages_app/core/trigger_gaps/test_triggers.py",
    "tests/messages_app/cp_queue/test_plans.py",
    "tests/messages_app/cp_queue/services/test_pickup_plans.py",
    "tests/messages_app/document_history/test_plans.py",
    "tests/messages_app/message_store/test_plans.py",
    "tests/spark_tasks/test_sql.py",
    "tests/spark_tasks/parquet/test_sql.py",
    "tests/messages_app/attach/test_owner.py",
    "tests/messages_app/attach/test_report.py",
    "tests/messages_app/attach/test_rights_of_parts.py",
    "tests/messages_app/attach/test_rights_read_only.py",
    "tests/messages_app/attach/test_rights_revoked.py",
    "tests/messages_app/attach/test_services.py",
    "tests/messages_app/attach/test_services_archive.py",
    "tests/messages_app/attach/test_services_beside_hub.py",
    "tests/messages_app/attach/test_services_keep_data.py",
    "tests/messages_app/attach/test_services_suspend.py",
    "tests/messages_app/attach/test_views.py",
    "tests/messages_app/erasure/test_plans.py",
    "tests/messages_app/messages/test_plans.py",
    "tests/messages_app/jobs/test_plans.py",
    "tests/spark_tasks/plans/test_plan_writer.py",
)


def prepare(home: Path) -> Program:
    """
    Make a cluster with default settings, unless the home has one; return the server to run, which takes the
    embedded server's place.

    Raises:
        CannotStart: the package is not installed, and cannot be installed.
    """
    install()
    user = account()
    at = claim_endpoint(home, POSTGRES)
    data = home / POSTGRES / "data"
    if not (data / "PG_VERSION").exists():  # A benchmark may keep its home.
        _make_data(data, user, at.secret)
    where = {"listen_addresses": LOOPBACK, "port": at.port, "unix_socket_directories": ""}
    return Program(
        name=POSTGRES,
        command=[
            *(str(BINARIES / "postgres"), "-D", str(data)),
            *(part for name, value in where.items() for part in ("-c", f"{name}={value}")),
        ],
        is_ready=lambda: _answers(home),
        environment=_environment(),
        directory=Path("/"),
        account=user,
        stop_signal=signal.SIGINT,
        is_base=True,
    )


def install() -> None:
    """
    Install Debian's package, unless it is there.

    Raises:
        CannotStart: it is still missing afterwards.
    """
    install_package(PACKAGE, BINARIES / "postgres")


def install_package(package: str, program: Path) -> None:
    """
    Install a package of Debian, unless its program is there.

    Raises:
        CannotStart: it is still missing afterwards.
    """
    if not program.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("update", "-q")
        _apt_get("install", "-q", "-y", "--no-install-recommends", package)
    if not program.exists():
        raise CannotStart(
            f"These tests need Debian's package {package}: it is not installed, and could not be installed."
        )


def _apt_get(*arguments: str) -> None:
    subprocess.run(
        ["apt-get", *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )


def account() -> Account | None:
    """Return who runs it: the package's own user under root, which PostgreSQL refuses to run as."""
    if os.geteuid() != 0:
        return None
    user = pwd.getpwnam("postgres")
    return Account(user.pw_uid, user.pw_gid)


def _make_data(data: Path, account: Account | None, password: str) -> None:
    data.mkdir(mode=0o700)
    for directory in (data.parent.parent, data.parent):
        directory.chmod(directory.stat().st_mode | 0o011)
    with tempfile.NamedTemporaryFile("w", dir=data.parent) as password_file:
        password_file.write(password)
        password_file.flush()
        if account:
            os.chown(data, account.uid, account.gid)
            os.chown(password_file.name, account.uid, account.gid)
        subprocess.run(
            [
                *(str(BINARIES / "initdb"), "-D", str(data), "--username", DATABASE_ROLE),
                *("--pwfile", password_file.name, "--auth", "scram-sha-256"),
            ],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
            env=_environment(),
            **(account.options() if account else {}),
        )


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


def _answers(home: Path) -> bool:
    try:
        psycopg.connect(database_url(home, "postgres"), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


if __name__ == "__main__":
    try:
        install()
    except CannotStart as error:
        raise SystemExit(str(error)) from None
    sys.stdout.write(" ".join(FILES) + "\n")
