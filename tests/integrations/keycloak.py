"""Keycloak from Maven's registry, started for a test with one realm, one client and one user."""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from messages_app.access.provider_settings import Provider
from messages_app.core.embedded_servers import find_free_port
from tests.support.eventually import eventually
from tests.support.files import ROOT

_VERSION = "26.7.3"
_ARTIFACT = f"org.keycloak:keycloak-quarkus-dist:{_VERSION}:zip"
_PROGRAMS = ROOT / "var" / "integrations"
_SECONDS = 400  # The first start builds its server.
_ADMIN, _PASSWORD, _SECRET = "root", "a-password-of-this-test", "a-secret-of-this-test-only"
REALM, GROUP, USER = "hub", "night-shift", "ada"


def find_program() -> Path:
    """
    Return the folder of the server, which is downloaded at its first use: 180 MB.

    Raises:
        FileNotFoundError: Maven is not installed.
        subprocess.CalledProcessError: it cannot be downloaded.
    """
    folder = _PROGRAMS / f"keycloak-{_VERSION}"
    if not folder.exists():
        maven = shutil.which("mvn")
        if maven is None:
            raise FileNotFoundError("The tests of Keycloak need Maven, Debian's package maven.")
        store = _PROGRAMS / "maven"
        command = [maven, "-q", "-B", "dependency:get", "-Dtransitive=false", f"-Dartifact={_ARTIFACT}"]
        subprocess.run([*command, f"-Dmaven.repo.local={store}"], check=True)
        [archive] = store.rglob(f"keycloak-quarkus-dist-{_VERSION}.zip")
        with zipfile.ZipFile(archive) as file:
            file.extractall(_PROGRAMS)
        (folder / "bin" / "kc.sh").chmod(0o755)
    return folder


class Keycloak:
    """A server whose realm has a client for a console at an address, and a user in one group."""

    def __init__(self, folder: Path, *, console: str) -> None:
        self._port = find_free_port()
        self._console, self._folder = console, folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self._port}/realms/{REALM}"

    @property
    def declared(self) -> Provider:
        return Provider(
            key="oidc", name="Keycloak", issuer=self.issuer, client_id="console", client_secret=_SECRET
        )

    def start(self) -> None:
        home = self._folder / "keycloak"
        shutil.copytree(find_program(), home)
        manage_port = find_free_port()
        options = (f"--http-port={self._port}", f"--http-management-port={manage_port}", "--cache=local")
        with (self._folder / "keycloak.log").open("wb") as log:
            self._process = subprocess.Popen(  # only what this file names
                [home / "bin" / "kc.sh", "start-dev", "--http-host=127.0.0.1", *options],
                env=self._environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        eventually(self._answers, seconds=_SECONDS)
        self._send("POST", "/admin/realms", self._realm())

    def _environment(self) -> Mapping[str, str]:
        # Its script chooses a garbage collector, and Java refuses two choices.
        others = {name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"}
        return others | {"KC_BOOTSTRAP_ADMIN_USERNAME": _ADMIN, "KC_BOOTSTRAP_ADMIN_PASSWORD": _PASSWORD}

    def stop(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, 9)
            self._process.wait()
            self._process = None

    def leave_group(self) -> None:
        user = self._user_id()
        [group] = self._send("GET", f"{_OF_REALM}/users/{user}/groups")
        self._send("DELETE", f"{_OF_REALM}/users/{user}/groups/{group['id']}")

    def log_out_user(self) -> None:
        """End the sessions of the user, as an administrator does."""
        self._send("POST", f"{_OF_REALM}/users/{self._user_id()}/logout")

    def replace_keys(self) -> None:
        """Sign with a new key from now on."""
        realm = self._send("GET", _OF_REALM)["id"]
        component = {
            "name": "newer",
            "parentId": realm,
            "providerId": "rsa-generated",
            "providerType": "org.keycloak.keys.KeyProvider",
            "config": {"priority": ["200"], "enabled": ["true"], "active": ["true"]},
        }
        self._send("POST", f"{_OF_REALM}/components", component)

    def _realm(self) -> Mapping[str, Any]:
        groups = {
            "name": "groups",
            "protocol": "openid-connect",
            "protocolMapper": "oidc-group-membership-mapper",
            "config": {"claim.name": "groups", "full.path": "false", "id.token.claim": "true"},
        }
        client = {
            "clientId": "console",
            "secret": _SECRET,
            "redirectUris": [f"{self._console}/login/with/oidc/callback/"],
            "attributes": {
                "pkce.code.challenge.method": "S256",
                "post.logout.redirect.uris": f"{self._console}/login/",
                "backchannel.logout.url": f"{self._console}/login/with/oidc/log-out/",
                "backchannel.logout.session.required": "true",
            },
            "protocolMappers": [groups],
        }
        user = {
            "username": USER,
            "enabled": True,
            "email": "ada@bank.example",
            "firstName": "Ada",
            "lastName": "Example",
            "groups": [GROUP],
            "credentials": [{"type": "password", "value": _PASSWORD}],
        }
        return {
            "realm": REALM,
            "enabled": True,
            "groups": [{"name": GROUP}],
            "clients": [client],
            "users": [user],
        }

    def _user_id(self) -> str:
        [user] = self._send("GET", f"{_OF_REALM}/users?username={USER}&exact=true")
        return user["id"]

    def _answers(self) -> bool:
        try:
            return bool(self._token())
        except (URLError, ConnectionError):
            return False

    def _token(self) -> str:
        form = {
            "grant_type": "password",
            "client_id": "admin-cli",
            "username": _ADMIN,
            "password": _PASSWORD,
        }
        path = "/realms/master/protocol/openid-connect/token"
        with urlopen(f"http://127.0.0.1:{self._port}{path}", urlencode(form).encode(), timeout=60) as answer:
            return json.load(answer)["access_token"]

    def _send(self, method: str, path: str, body: object = None) -> Any:
        request = Request(
            f"http://127.0.0.1:{self._port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token()}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=120) as answer:
            content = answer.read()
        return json.loads(content) if content else None


_OF_REALM = f"/admin/realms/{REALM}"


def password() -> str:
    """Return the password of the user."""
    return _PASSWORD
