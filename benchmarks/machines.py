"""
Machines of a cluster on one host: network namespaces with addresses of their own, each with a part of a core.

Needs root, `ip` and the cpu controller of cgroup version 1.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from hubconsole.devserver.processes import Program

HOST = "10.77.77.1"
NETWORK = "10.77.77"
_BRIDGE = "hubbench"
_IP = "/usr/sbin/ip"
_CPU = Path("/sys/fs/cgroup/cpu")
_PERIOD_US = 100_000
_MAX_LINES = 8


@dataclass
class Machine:
    """One namespace with its address and its share of a core."""

    number: int
    cores: float
    _group: Path = field(init=False)

    def __post_init__(self) -> None:
        self._group = _CPU / self.name
        self._group.mkdir(exist_ok=True)
        self.hold_to(self.cores)
        _ip("netns", "add", self.name)
        _ip("link", "add", f"{self.name}v", "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("link", "set", f"{self.name}v", "master", _BRIDGE, "up")
        self._inside("address", "add", f"{self.address}/24", "dev", "eth0")
        self._inside("link", "set", "eth0", "up")
        self._inside("link", "set", "lo", "up")

    @property
    def name(self) -> str:
        return f"{_BRIDGE}{self.number}"

    @property
    def address(self) -> str:
        return f"{NETWORK}.{10 + self.number}"

    def hold_to(self, cores: float) -> None:
        """Limit the processor time of its processes, also of running ones."""
        (self._group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (self._group / "cpu.cfs_quota_us").write_text(str(int(cores * _PERIOD_US)))

    def cut_off(self) -> None:
        _ip("link", "set", f"{self.name}v", "down")

    def connect(self) -> None:
        _ip("link", "set", f"{self.name}v", "up")

    def program(self, name: str, command: list[str], environment: Mapping[str, str], folder: Path) -> Program:
        """Return a program of this machine."""
        enter = f'echo $$ > {self._group / "cgroup.procs"} && exec ip netns exec {self.name} "$@"'
        return Program(
            name=name, command=["sh", "-c", enter, "sh", *command], environment=environment, directory=folder
        )

    def _inside(self, *words: str) -> None:
        _ip("-n", self.name, *words)


@contextmanager
def machines() -> Iterator[list[Machine]]:
    """
    Make the network, and remove it with up to eight machines that the caller has made.

    Raises:
        SystemExit: this user or machine cannot do that.
    """
    if os.geteuid() or not Path(_IP).exists() or not (_CPU / "cpu.cfs_quota_us").exists():
        raise SystemExit(
            "A cluster on this machine needs root, `ip` and the cpu controller of cgroup version 1."
        )
    _remove_all()  # A killed run may have left some.
    try:
        _ip("link", "add", _BRIDGE, "type", "bridge")
        _ip("address", "add", f"{HOST}/24", "dev", _BRIDGE)
        _ip("link", "set", _BRIDGE, "up")
        yield []
    finally:
        _remove_all()


def _remove_all() -> None:
    for number in range(1, _MAX_LINES + 1):
        name = f"{_BRIDGE}{number}"
        _try_ip("link", "delete", f"{name}v")
        _try_ip("netns", "delete", name)
        with suppress(OSError):
            (_CPU / name).rmdir()
    _try_ip("link", "delete", _BRIDGE)


def _ip(*words: str) -> None:
    subprocess.run([_IP, *words], check=True)


def _try_ip(*words: str) -> None:
    subprocess.run([_IP, *words], check=False, stderr=subprocess.DEVNULL)
