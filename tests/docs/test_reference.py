"""The generated pages of the reference are those of the repository, and have each thing once."""

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from hubconsole.administration.declared import SECTIONS
from hubconsole.command_overview import GROUPS
from messages_app.access.roles import ROLES
from messages_app.access.scopes import SCOPES
from messages_app.core.api_docs import describe_api
from messages_app.core.problem_codes import PROBLEM_CODES
from messages_app.cp_queue.states import STATES
from messages_app.dashboard.published_metrics import METRICS
from messages_app.document_history.states import Verdict
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.messages.diagnosis.reasons import NextStep, Reason
from messages_app.shared.job_states import FailReason, JobState, PauseReason, SkipReason
from messages_app.shared.message_states import MessageState
from messages_app.shared.store_states import Status
from tests.support.reference.pages import FOLDER, WRITERS

ROOT = FOLDER.parent.parent
PRODUCT = [file for package in ("hubconsole", "messages_app") for file in (ROOT / package).rglob("*.py")]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: write() for name, write in WRITERS.items()}


@pytest.mark.parametrize("name", WRITERS)
class TestPage:
    def test_is_up_to_date(self, pages, name):
        assert pages[name] == (FOLDER / name).read_text(), "run `make reference`"

    def test_says_first_that_it_is_generated(self, pages, name):
        title, _, for_editors, _, for_readers, *_ = pages[name].splitlines()
        assert title.startswith("# ")
        assert "make reference" in for_editors
        assert for_editors.startswith("[//]: # (")
        assert "generated from the code" in for_readers


def read_part(page: str, heading: str) -> str:
    """Return the text below a heading of any level."""
    match = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", page, re.MULTILINE | re.DOTALL)
    assert match, heading
    return match[2]


def list_first_cells(text: str) -> list[str]:
    """Return the first cell of each row of the tables, without its marks; heads of tables are left out."""
    return [
        cell.strip("`") for cell in re.findall(r"^\| \[?(`[^`]+`)\]?(?:\([^)]*\))? \|", text, re.MULTILINE)
    ]


def has_each_once(cells: Iterable[str], names: Iterable[object]) -> bool:
    return Counter(cells) == Counter(map(str, names))


class TestSettings:
    def test_are_each_on_the_page_once(self, pages):
        names = [one.name for section in SECTIONS for one in section.settings]
        assert len(names) > 90
        assert has_each_once(list_first_cells(pages["settings.md"]), names)

    @pytest.mark.parametrize(
        "line",
        [
            "| `HUBCONSOLE_BULK_GUARD_HOURS` | `8` | hours that a job waits for a second person before it is"
            " stopped. Values: whole number from 1. |",
            "| `HUBCONSOLE_S3_KMS_KEY` | none | the key for `aws:kms`. Values: id of a key. |",
            "| `HUBCONSOLE_STORE_QUEUE` | `10` | messages that may wait in status 3; the monitor's page can"
            " change it for all processes. Values: whole number from 0. |",
        ],
    )
    def test_have_values_and_default_of_the_code(self, pages, line):
        assert line in pages["settings.md"].splitlines()


class TestMetrics:
    def test_are_each_on_the_page_once(self, pages):
        assert has_each_once(list_first_cells(pages["metrics.md"]), [one.name for one in METRICS])

    def test_have_type_and_labels(self, pages):
        row = "| `hubconsole_messages` | gauge | `state` | Live messages by state, except OK."
        assert any(line.startswith(row) for line in pages["metrics.md"].splitlines())


class TestExplainCodes:
    def test_are_each_on_the_page_once(self, pages):
        assert has_each_once(list_first_cells(read_part(pages["explain.md"], "`reason`")), Reason)
        steps = read_part(pages["explain.md"], "`next`")
        assert has_each_once(list_first_cells(steps.replace("| `what` |", "")), NextStep)


_CODES = re.compile(
    r"(?:Problem\(\s*\d{3},|(?:bad_field|FieldError|InvalidParameter|InvalidInput|InvalidTrigger)\([^,()]+,"
    r'|InvalidValue\()\s*"([a-z_]+)"'
)


class TestErrorCodes:
    def test_are_each_on_the_page_once_for_a_status(self, pages):
        cells = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", pages["errors.md"], re.MULTILINE)
        assert len(cells) == len(set(cells)) == len(PROBLEM_CODES)
        assert set(cells) == {(str(one.status), one.code) for one in PROBLEM_CODES}

    def test_are_all_declared_and_used(self):
        declared = {one.code for one in PROBLEM_CODES}
        texts = [file.read_text() for file in PRODUCT if file.name != "problem_codes.py"]
        used = {code for text in texts for code in _CODES.findall(text)}
        assert len(used) > 20
        assert used - declared == set()
        assert {code for code in declared if not any(f'"{code}"' in text for text in texts)} == set()


class TestScopes:
    def test_are_each_on_the_page_once(self, pages):
        page = pages["scopes.md"]
        table = page[: page.index("## For one queue")]
        assert has_each_once(list_first_cells(table), SCOPES)

    def test_have_each_call_that_needs_one(self, pages):
        listed = re.findall(
            r"`((?:GET|POST|PATCH|DELETE) [^`]*)`", read_part(pages["scopes.md"], "Calls of each scope")
        )
        needing = [
            f"{method.upper()} {address.removeprefix('/api/v1/')}"
            for address, calls in describe_api()["paths"].items()
            for method, call in calls.items()
            if any(names for each in call["security"] for names in each.values())
        ]
        assert has_each_once(listed, needing)


class TestJobKinds:
    def test_are_each_in_each_table_once(self, pages):
        for heading in ("Kinds", "Rules of each kind"):
            assert has_each_once(list_first_cells(read_part(pages["job_kinds.md"], heading)), kind_specs)

    def test_say_what_each_does_and_who_may(self, pages):
        rows = read_part(pages["job_kinds.md"], "Kinds").splitlines()
        assert [row for row in rows if row.startswith("| `") and "|  |" in row] == []

    def test_have_each_option_once(self, pages):
        options = {name for spec in kind_specs.values() for name in spec.options}
        assert has_each_once(list_first_cells(read_part(pages["job_kinds.md"], "Options")), options)

    @pytest.mark.parametrize(
        ("heading", "names"),
        [
            ("States", JobState),
            ("Reasons of a wait", PauseReason),
            ("Skipped", SkipReason),
            ("Failed", FailReason),
        ],
    )
    def test_have_each_state_and_reason_once(self, pages, heading, names):
        assert has_each_once(list_first_cells(read_part(pages["job_kinds.md"], heading)), names)


class TestStates:
    @pytest.mark.parametrize(
        ("heading", "names"),
        [("Messages", MessageState), ("Message store", [int(status) for status in Status])],
    )
    def test_are_each_on_the_page_once(self, pages, heading, names):
        assert has_each_once(list_first_cells(read_part(pages["states.md"], heading)), names)

    @pytest.mark.parametrize(("heading", "names"), [("Documents", Verdict), ("CP messages", STATES)])
    def test_of_other_stores_are_on_the_page(self, pages, heading, names):
        assert set(map(str, names)) <= set(list_first_cells(read_part(pages["states.md"], heading)))


# The modules that send to webhooks, and the event of each.
SENDERS = {
    "messages_app/audit/stream/sending.py": "audit entries",
    "messages_app/core/deliveries/sending.py": "test",
    "messages_app/dashboard/handover_sending.py": "handover",
    "messages_app/jobs/webhooks/delivery.py": "job_ended",
    "messages_app/messages/alerts/notices.py": "alert",
}


class TestEvents:
    def test_are_each_on_the_page_once_with_an_example(self, pages):
        names = re.findall(r"^\| \[([^\]]+)\]", pages["events.md"], re.MULTILINE)
        assert has_each_once(names, {*WebhookEvent, *SENDERS.values()})
        assert re.findall(r"^## (.+)$", pages["events.md"], re.MULTILINE) == names
        assert all("```json\n{" in read_part(pages["events.md"], name) for name in names)

    def test_come_from_every_module_that_sends_to_webhooks(self):
        calls = re.compile(r"(?<!def )\b(?:send_report|signed_headers)\(")
        senders = {str(file.relative_to(ROOT)) for file in PRODUCT if calls.search(file.read_text())}
        # It sends what the others have written.
        assert senders - {"messages_app/core/deliveries/webhook_calls.py"} == set(SENDERS)


class TestCommands:
    def test_are_each_on_the_page_once(self, pages):
        names = re.findall(r"^### (.+)$", pages["commands.md"], re.MULTILINE)
        assert has_each_once(names, [name for commands in GROUPS.values() for name in commands])

    @pytest.mark.parametrize("line", ["| `--port PORT` | port of the pages (8000) |", "### verify_archive"])
    def test_have_lines_that_users_look_for(self, pages, line):
        assert line in pages["commands.md"].splitlines()


class TestRoles:
    def test_have_each_permission_once_and_a_role_for_it(self, pages):
        part = read_part(pages["roles.md"], "Permissions")
        permissions = frozenset().union(*ROLES.values())
        assert has_each_once(list_first_cells(part), [name.partition(".")[2] for name in permissions])
        assert [row for row in part.splitlines() if row.startswith("| `") and "|  | `" in row] == []

    @pytest.mark.parametrize(
        "line",
        [
            "| `cancel_message` | cancel messages | `operator`, `admin` | `messages:act` |",
            "| `view_payload` | read payloads unmasked | `view_payload` | `payload:read` |",
            "| `add_messagestore` | send messages to the message store |"
            " `operator`, `admin` | `store:send` |",
            "| `view_job` | view jobs | `support`, `operator`, `admin` | `jobs:run` |",
            "| `manage_users` | manage users and their roles | `admin` |  |",
        ],
    )
    def test_have_lines_that_users_look_for(self, pages, line):
        assert line in pages["roles.md"].splitlines()


class TestCalls:
    def test_are_each_on_the_page_once(self, pages):
        calls = [
            f"{method.upper()} {address.removeprefix('/api/v1/') or '/'}"
            for address, methods in describe_api()["paths"].items()
            for method in methods
        ]
        assert len(calls) > 150
        assert has_each_once(list_first_cells(pages["calls.md"]), calls)

    @pytest.mark.parametrize(
        "line",
        [
            "curl -sS --fail-with-body 'https://hub.example.org/api/v1/alerts/' \\",
            "for entry in hub.alerts.list():",
            "| `POST messages/{msg_id}/cancel/` | `hub.messages.cancel(msg_id, reason=...)` |"
            " Cancel a message. Scope `messages:act`. |",
        ],
    )
    def test_have_lines_that_users_look_for(self, pages, line):
        assert line in pages["calls.md"].splitlines()

    def test_are_below_headings_with_the_names_that_the_console_uses(self, pages):
        headings = [line for line in pages["calls.md"].splitlines() if line.startswith("## ")]
        assert {"## CP queue", "## Business keys", "## Message store"} <= set(headings)


class TestReadPart:
    def test_ends_at_the_next_heading_of_the_level(self):
        assert read_part("## A\n1\n### B\n2\n## C\n3\n", "A") == "1\n### B\n2\n"

    def test_has_the_first_cells_of_its_rows(self):
        text = "| name | x |\n|---|---|\n| `a` | `b` |\n| [`c`](d.md) | e |\n"
        assert list_first_cells(text) == ["a", "c"]
