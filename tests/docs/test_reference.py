"""The pages of the reference that the code writes are those of the repository."""

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.support.reference import FOLDER, write_pages


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return write_pages(SchemaGenerator().get_schema(request=None, public=True))


@pytest.mark.parametrize("name", ["commands.md", "roles.md", "calls.md"])
def test_are_up_to_date(pages, name):
    assert pages[name] == (FOLDER / name).read_text(), "run `make reference`"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("commands.md", "| `--port PORT` | port of the pages (8000) |"),
        ("commands.md", "### verify_archive"),
        ("roles.md", "| `cancel_message` |  | yes | yes |  |"),
        ("roles.md", "| `view_payload` |  |  |  | `view_payload` |"),
        ("calls.md", 'curl -sf -H "$AUTH" "$API/messages/"'),
        (
            "calls.md",
            "| `POST messages/{msg_id}/cancel/` | `hub.messages.cancel(msg_id, reason=...)` |"
            " Cancel a message. Scope `messages:act`. |",
        ),
    ],
)
def test_have_lines_that_users_look_for(pages, name, line):
    assert line in pages[name].splitlines()


def test_name_a_role_for_each_permission(pages):
    rows = [
        line for line in pages["roles.md"].splitlines() if line.startswith("| `") and line.count("|") == 6
    ]
    assert len(rows) > 30
    assert [row for row in rows if "yes" not in row and row.count("`") < 4] == []
