"""The whole API against its own description: every call answers generated requests correctly."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.openapi.world import make_world
from tests.support.api_client import caller

# No operation describes a 500, so that the second finds every one; the ones that may answer 503 tell of it.
CHECKS = (
    "content_type_conformance",
    "status_code_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
)
# It shares its time among all calls; the slow tests cover the rest. The seed makes each run generate the
# same requests, so that the result does not depend on chance.
OTHER_METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH", "TRACE")
BOX = ("--max-time", "25", "--seed", "11")


def _findings(address: str, *, role: str, place: Path, options: tuple[str, ...]) -> str:
    """Return what schemathesis reports of calls that were answered otherwise than described; empty: none."""
    token = caller(role, "view_payload").token
    # OPTIONS is answered at every address, and is not described.
    (place / "schemathesis.toml").write_text(
        f"[phases.coverage]\nunexpected-methods = {list(OTHER_METHODS)}\n"
    )
    ended = subprocess.run(
        [
            *(Path(sys.executable).with_name("st"), "run", f"{address}/api/v1/schema/"),
            *("--header", f"Authorization: Token {token}", "--checks", ",".join(CHECKS), *options),
            *("--request-timeout", "60"),  # on a busy machine
        ],
        cwd=place,  # it keeps notes of its findings
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr[-2000:] if ended.returncode else ""


@pytest.mark.django_db(transaction=True)
class TestEveryAddress:
    @pytest.mark.slow
    def test_answers_as_it_is_described(self, live_server, tmp_path):
        make_world()
        if findings := _findings(live_server.url, role="admin", place=tmp_path, options=BOX):
            pytest.fail(findings)

    @pytest.mark.slow
    @pytest.mark.parametrize("role", ["support", "operator", "admin"])
    def test_answers_each_role_as_it_is_described(self, live_server, tmp_path, role):
        make_world()
        options = ("--max-examples", "10", "--seed", "7")
        if findings := _findings(live_server.url, role=role, place=tmp_path, options=options):
            pytest.fail(findings)
