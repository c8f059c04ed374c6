"""
The status of every page for each role, for ids that do not exist (docs/contributing/spec/promises.md, S-20).
"""

import pytest

from tests.support.page_client import client_of
from tests.support.routes import page_addresses

pytestmark = pytest.mark.django_db

ROLES = ("", "support", "operator", "admin")
# The statuses for no role, support, operator and admin. Pages of an object are requested with an unknown id.
TABLE = {
    (403, 200, 200, 200): {
        "",
        "alerts/",
        "archive/",
        "audit/",
        "cp-queue/",
        "cp-queue/dispatches/",
        "cp-queue/messages/",
        "cp-queue/objects/",
        "cp-queue/objects/777/",
        "cp-queue/preview/",
        "cp-queue/services/",
        "dashboard/part/",
        "deployments/",
        "incidents/",
        "document-history/",
        "document-history/dry-run/",
        "document-history/entries/",
        "document-history/in-doubt/",
        "document-history/statistics/",
        "document-history/sweeper/",
        "document-history/undetermined/",
        "failures/",
        "failures/now/",
        "funnels/",
        "handover/",
        "jobs/",
        "jobs/of-message/777/",
        "jobs/of-failure-group/777/",
        "jobs/analyses/of-failure-group/777/",
        "jobs/analyses/of-incident/777/",
        "jobs/schedules/",
        "message-store/",
        "jobs/new/",
        "message-store/definitions/",
        "message-store/errors/",
        "message-store/messages/",
        "message-store/messages/export/",
        "message-store/missing/",
        "message-store/monitor/",
        "messages/",
        "messages/777/children/",
        "messages/count/",
        "messages/export/",
        "messages/find/part/",
        "messages/histogram/",
        "messages/suggest/",
        "messages/views/",
        "watch-rules/",
    },
    (405, 405, 405, 405): {
        "jobs/analyses/new/",
        "policy-reports/",
        "reveal/end/",
        "cp-queue/messages/777/delete/",
        "cp-queue/messages/777/dispatch/",
        "cp-queue/messages/777/reset/",
        "cp-queue/messages/777/send-on/",
        "cp-queue/poll/",
        "cp-queue/queue/pause/",
        "cp-queue/queue/resume/",
        "dashboard/guide/",
        "document-history/in-doubt/777/resubmit/",
        "document-history/in-doubt/777/settle/",
        "document-history/in-doubt/777/take/",
        "document-history/statistics/clear/",
        "document-history/triggers/777/delete/",
        "document-history/triggers/777/resume/",
        "failures/777/describe/",
        "failures/777/mark/",
        "jobs/777/approve/",
        "jobs/777/pause/",
        "jobs/777/rate/",
        "jobs/777/refuse/",
        "jobs/777/resume/",
        "jobs/777/retry/",
        "jobs/777/stop/",
        "jobs/777/undo/",
        "jobs/schedules/777/delete/",
        "message-store/definitions/777/remove/",
        "message-store/messages/777/mute/",
        "message-store/messages/777/release/",
        "message-store/messages/777/reprocess/",
        "message-store/messages/777/retry-now/",
        "message-store/messages/777/unmute/",
        "message-store/monitor/settings/",
        "messages/act/",
        "messages/table/",
        "messages/views/777/",
        "second-factor/change/",
        "second-factor/confirm/",
        "second-factor/start/",
        "sessions/777/end/",
        "sessions/end-others/",
        "watch-rules/777/delete/",
    },
    (403, 404, 404, 404): {
        "cp-queue/messages/777/",
        "document-history/in-doubt/777/",
        "document-history/in-doubt/777/document/",
        "document-history/triggers/777/",
        "failures/777/",
        "incidents/777/",
        "jobs/777/",
        "jobs/777/counted/",
        "jobs/777/download/",
        "jobs/777/ledger/",
        "jobs/777/progress/",
        "jobs/777/since/",
        "jobs/of-store-message/777/",
        "jobs/schedules/777/today/",
        "message-store/definitions/777/",
        "message-store/messages/777/",
        "message-store/messages/777/data/",
        "message-store/messages/777/data/download/",
        "message-store/messages/777/file/download/",
        "messages/777/",
        "messages/777/calls/",
        "messages/777/compare/",
        "messages/777/envelope/",
        "messages/777/exchanges/",
        "messages/777/payload/",
        "messages/777/requests/777/",
        "messages/777/responses/777/",
        "watch-rules/777/",
    },
    (403, 403, 403, 200): {
        "document-history/new-trigger/",
        "jobs/schedules/new/",
        "message-store/definitions/new/",
        "watch-rules/new/",
        "webhooks/",
    },
    (403, 403, 404, 404): {
        "incidents/777/acknowledge/",
        "incidents/777/assign/",
        "incidents/777/close/",
        "incidents/777/merge/",
        "incidents/777/note/",
        "incidents/777/reopen/",
        "incidents/777/split/",
        "cp-queue/services/dispatch/",
        "message-store/messages/777/rehearsal/",
        "messages/777/cancel/",
        "messages/777/restart/",
    },
    (403, 403, 403, 403): {
        "messages/777/envelope/download/",
        "messages/777/payload/download/",
        "messages/777/requests/777/download/",
        "messages/777/resend/",
        "messages/777/responses/777/download/",
        "reveal/",
    },
    (200, 200, 200, 200): {
        "password/",
        "second-factor/",
        "sessions/",
        "sessions/left/",
    },
    (403, 400, 400, 400): {
        "cp-queue/queue/",
        "jobs/new/duration/",
        "messages/newer/",
    },
    (302, 302, 302, 302): {
        "login/",
        "login/code/",
    },
    (403, 403, 200, 200): {
        "cp-queue/create/",
        "cp-queue/reset/",
        "deployments/new/",
    },
    (403, 302, 302, 302): {
        "messages/find/",
    },
    (403, 403, 403, 404): {
        "jobs/schedules/777/",
    },
}


def answered() -> dict[str, tuple[int, ...]]:
    """Return the statuses of every page for each role."""
    readers = [client_of(*filter(None, [role]), username=f"one {role}") for role in ROLES]
    asked = [address for address in page_addresses() if address != "logout/"]
    return {address: tuple(reader.get(f"/{address}").status_code for reader in readers) for address in asked}


class TestPages:
    def test_answer_each_role_as_in_the_table(self, settings):
        settings.PAGES_PER_MINUTE = 10_000
        expected = {address: row for row, addresses in TABLE.items() for address in addresses}
        assert sum(map(len, TABLE.values())) == len(expected) > 130
        assert answered() == expected
