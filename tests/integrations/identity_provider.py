"""A real identity provider (identity_provider.mjs), run by Deno, which comes with the packages of tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

from messages_app.access.provider_settings import Provider
from messages_app.core.embedded_servers import find_free_port
from tests.support.eventually import eventually
from tests.support.files import ROOT

_SECONDS = 120  # The first start loads its packages


class IdentityProvider:
    """
    Attributes:
        issuer: its address.
        claims: of each user by name; `write_claims` changes them.
    """

    def __init__(self, folder: Path, *, console: str) -> None:
        self._port = find_free_port()
        self._console = console
        self._claims, self._log = folder / "claims.json", folder / "provider.log"
        self.issuer = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def declared(self) -> Provider:
        return Provider(
            key="oidc",
            name="Bank ID",
            issuer=self.issuer,
            client_id="console",
            client_secret="a-secret-of-this-test-only",
        )

    def write_claims(self, **users: dict[str, object]) -> None:
        self._claims.write_text(json.dumps(users))

    def start(self) -> None:
        script = Path(__file__).with_name("identity_provider.mjs")
        deno = Path(sys.executable).with_name("deno")
        command = [deno, "run", "--allow-all", "--no-lock", script]
        arguments = [self._port, self._console, self._claims]
        environment = {"DENO_DIR": str(ROOT / "var/deno"), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # only what this file names
                [str(part) for part in (*command, *arguments)],
                env=os.environ | environment,
                stdout=log,
                stderr=log,
            )
        eventually(lambda: "listening" in self.log(), seconds=_SECONDS)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def log(self) -> str:
        return self._log.read_text()
