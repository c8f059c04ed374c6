"""The whole API against its own description: what schemathesis makes up, no call answers wrongly."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.api_client import caller
from tests.factories import make_message

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestEveryAddress:
    @pytest.mark.parametrize("role", ["support", "operator", "admin"])
    def test_answers_as_it_is_described(self, live_server, tmp_path, role):
        for state in ("NEW", "FAILED", "OK"):
            make_message(state=state)
        token = caller(role, "view_payload").token
        program = Path(sys.executable).with_name("st")
        ended = subprocess.run(
            [
                *(program, "run", f"{live_server.url}/api/v1/schema/"),
                *("--header", f"Authorization: Token {token}"),
                *("--checks", ",".join(CHECKS), "--max-examples", "10", "--seed", "7"),
            ],
            cwd=tmp_path,  # it keeps notes of its findings
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout[-4000:]
