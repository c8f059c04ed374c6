"""The services of deploy/containers/compose.yaml, started for a test and removed after it."""

import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from tests.integrations import container_images as images
from tests.support.files import ROOT

_PASSWORDS = ("DATABASE", "OWNER", "WEB", "WORKER", "SPARK", "ERASE", "BROKER")


class Compose:
    """The console at `address`, in containers of a project of its own."""

    def __init__(self, folder: Path, *, port: int) -> None:
        self._folder = folder
        self.address = f"http://localhost:{port}"
        for file in (ROOT / "deploy" / "containers").iterdir():
            shutil.copy(file, folder)
        self._values = {f"{name}_PASSWORD": secrets.token_urlsafe(24) for name in _PASSWORDS}
        self._values |= {name: secrets.token_urlsafe(48) for name in ("SECRET_KEY", "SPARK_SECRET")}
        self._values |= {"HOSTS": "localhost", "PORT": str(port)}
        self._values |= {"DATABASE_IMAGE": images.DATABASE, "BROKER_IMAGE": images.BROKER}
        self.use_images(server=images.SERVER, spark=images.SPARK)

    def use_images(self, *, server: str, spark: str) -> None:
        """Name the images of the console that the next start takes."""
        self._values |= {"SERVER_IMAGE": server, "SPARK_IMAGE": spark}
        lines = [f"{name}={value}\n" for name, value in self._values.items()]
        (self._folder / ".env").write_text("".join(lines))

    def up(self) -> None:
        self._compose("up", "--detach")

    def down(self, *options: str) -> None:
        self._compose("down", *options)

    def run(self, service: str, *words: str, as_owner: bool = False) -> str:
        """Run a command of the console in a running service, and return what it prints."""
        url = f"postgresql://hubconsole_owner:{self._values['OWNER_PASSWORD']}@database/hubconsole"
        owner = ("--env", f"DATABASE_URL={url}") if as_owner else ()
        return images.run_podman("exec", *owner, self.container(service), "hubconsole", *words)

    def query(self, statement: str) -> str:
        """Return the rows of a statement by the superuser, a line each."""
        words = ("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--username", "postgres", "hubconsole")
        return images.run_podman("exec", self.container("database"), *words, "--command", statement).strip()

    def kill(self, service: str) -> None:
        """Kill a service as a crash does. Podman starts nothing again that it has killed itself."""
        pid = images.run_podman("inspect", self.container(service), "--format", "{{.State.Pid}}")
        os.kill(int(pid), signal.SIGKILL)

    def container(self, service: str) -> str:
        return f"hubconsole_{service}_1"

    def _compose(self, *words: str) -> None:
        subprocess.run(
            [*images.find_compose(), *words],
            cwd=self._folder,
            env=images.environment(),
            check=True,
            timeout=600,
        )
