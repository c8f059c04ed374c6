import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


class TestJobs:
    @pytest.fixture
    def jobs(self) -> dict[str, int]:
        made = [("restart", "done"), ("restart", "running"), ("export", "done"), ("archive", "failed")]
        return {
            f"{kind} {state}": Job.objects.create(kind=kind, state=state, reason="r").pk
            for kind, state in made
        }

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("", ["archive failed", "export done", "restart running", "restart done"]),
            ("?state=done", ["export done", "restart done"]),
            ("?kind=restart", ["restart running", "restart done"]),
            ("?kind=restart&state=done", ["restart done"]),
            ("?state=running,failed", ["archive failed", "restart running"]),
            ("?state=running&state=failed", ["archive failed", "restart running"]),
            ("?kind=export,archive&state=done,failed", ["archive failed", "export done"]),
            ("?kind=cancel", []),
        ],
    )
    def test_has_the_jobs_of_the_states_and_kinds(self, admin, jobs, query, names):
        found = admin.get(f"jobs/{query}").json()["results"]
        assert [row["job_id"] for row in found] == [jobs[name] for name in names]

    def test_has_pages(self, admin, jobs):
        first = admin.get("jobs/?state=done,running&page_size=2").json()
        rest = admin.get(first["next"].partition("/api/v1/")[2]).json()
        assert [row["job_id"] for row in (*first["results"], *rest["results"])] == [
            jobs[name] for name in ("export done", "restart running", "restart done")
        ]
        other = admin.get(first["next"].partition("/api/v1/")[2].replace("running", "failed"))
        assert other.status_code == 400

    @pytest.mark.parametrize("query", ["state=DONE", "state=", "kind=nope", "kind=restart,,export", "zzz=1"])
    def test_refuses_an_invalid_filter(self, admin, query):
        assert problem(admin.get(f"jobs/?{query}"))["errors"][0]["field"] == query.partition("=")[0]

    def test_rejects_a_filter_with_a_new_job(self, admin):
        answer = admin.post("jobs/?state=done", {"kind": "archive", "reason": "r"})
        assert problem(answer)["code"] == "unknown_parameter"
        assert not Job.objects.exists()

    @pytest.mark.parametrize(
        "query", ["?state=failed", "?kind=archive", "?state=failed,stopped&kind=archive"]
    )
    def test_is_read_by_an_index(self, admin, query):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO job (kind, state, filter, options, dry_run, reason, created_by, attempt,"
                " paused_for, report, error)"
                " SELECT 'restart', 'done', '{}', '{}', false, 'r', 'ana', 1, '', '{}', ''"
                "   FROM generate_series(1, 20000)"
            )
            cursor.execute("ANALYZE job")
        with CaptureQueriesContext(connection) as asked:
            assert admin.get(f"jobs/{query}").json()["results"] == []
        selects = [each["sql"] for each in asked.captured_queries if 'FROM "job"' in each["sql"]]
        selects = [sql for sql in selects if not sql.startswith("EXPLAIN")]
        assert selects
        for sql in selects:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}")
                plan = "\n".join(line for (line,) in cursor)
            assert "Seq Scan on job" not in plan, plan
