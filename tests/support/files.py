"""
The queue of test files that the processes of `make test` share: each takes the next one when it is free.

A file goes to a process with its lane: tests of the browser to the process that has one, tests of Spark
to the processes with a Spark server, those of attached hubs to the process that keeps attached databases,
the rest to any of them. The longest go first, so that all processes end together.

`python -m tests.support.files` prints those of `make test-fast`.
"""

import fcntl
import json
import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

BROWSER, SPARK, HUBS, REST = "browser", "spark", "hubs", "rest"

# A Spark server takes as long to start and to warm up as many tests.
_NEEDS_SPARK = re.compile(
    r"\bspark_remote\b|\bstart_worker\b|\bworker: None\b|usefixtures\(.*\"worker\"|, worker[,)]"
)

# Each process attaches to each form of a hub itself (tests/support/attached.py), which takes seconds.
_NEEDS_HUBS = re.compile(r"\b(attached_hub|hub_read_by_guest|filled_hub)\(")

# It starts a Spark server of its own, so it may go to another process than the one with the most to do.
_WITH_OWN_SPARK = ("tests/messages_app/management/commands/test_up.py",)

# Words in files that need tables or other processes, so that `make test-fast` leaves them out.
_NEEDS_MORE = re.compile(
    r"django_db|transactional_db|live_server|start_worker|start_hub|\bservers\b|subprocess|Popen|playwright|processes"
)

# An error of a component is an error of every page that has it.
FIRST_FILES = ("tests/pages/test_a_styleguide.py",)

# Longest first, of a run on 2026-11-30. Other files take less than eight seconds.
SLOWEST_FILES = (
    "tests/messages_app/management/commands/test_up.py",
    "tests/messages_app/messages/test_plans.py",
    "tests/pages/test_counted_links.py",
    "tests/messages_app/management/commands/test_attach.py",
    "tests/messages_app/jobs/test_plans.py",
    "tests/hubconsole/devserver/test_progress.py",
    "tests/bad_input/test_catalogue.py",
    "tests/messages_app/audit/test_privileges_at_work.py",
    "tests/messages_app/management/commands/test_erase_subject.py",
    "tests/messages_app/jobs/drivers/test_analyse.py",
    "tests/messages_app/jobs/drivers/test_archive_restore.py",
    "tests/bad_input/test_forms.py",
    "tests/hubconsole/test_gunicorn_config.py",
    "tests/messages_app/access/test_roles_posts.py",
    "tests/bad_input/test_canary.py",
    "tests/messages_app/demo/test_hub_tables.py",
    "tests/messages_app/jobs/engine/test_runner.py",
    "tests/pages/test_incidents.py",
    "tests/messages_app/messages/filters/test_branches.py",
    "tests/hubconsole/test_pooler.py",
    "tests/messages_app/attach/test_services_archive.py",
    "tests/messages_app/management/test_job_commands.py",
    "tests/messages_app/erasure/test_archive_files.py",
    "tests/spark_tasks/analyses/test_analysis.py",
    "tests/hostile/test_every_address.py",
    "tests/pages/test_administration.py",
    "tests/hubconsole/test_suitability_standby.py",
    "tests/openapi/test_walk.py",
    "tests/messages_app/erasure/test_business_keys.py",
    "tests/hubconsole/telemetry/test_start.py",
    "tests/test_migrations_under_load.py",
    "tests/attached/test_addresses.py",
    "tests/messages_app/management/commands/test_doctor.py",
    "tests/messages_app/access/test_scopes_confining.py",
    "tests/pages/test_acting.py",
    "tests/messages_app/jobs/engine/test_runner_secrets.py",
    "tests/messages_app/message_store/test_plans.py",
    "tests/pages/test_connection.py",
    "tests/messages_app/core/pagination/test_paginator.py",
    "tests/messages_app/demo/hub/test_demo_hub.py",
    "tests/messages_app/jobs/drivers/test_resend.py",
    "tests/hubconsole/devserver/test_supervisor.py",
    "tests/messages_app/jobs/drivers/test_transitions.py",
    "tests/messages_app/messages/metrics/test_failing_everywhere.py",
    "tests/messages_app/management/commands/test_move_archive.py",
    "tests/messages_app/jobs/drivers/test_export.py",
    "tests/messages_app/erasure/test_incidents.py",
    "tests/messages_app/jobs/kinds/test_invented.py",
    "tests/hubconsole/test_log_lines.py",
    "tests/messages_app/access/test_permissions.py",
    "tests/pages/test_contents.py",
    "tests/messages_app/messages/test_attachment.py",
    "tests/messages_app/audit/test_seals_open.py",
    "tests/hostile/test_attached.py",
    "tests/pages/test_first_page.py",
    "tests/messages_app/access/test_roles_pages.py",
    "tests/messages_app/incidents/test_passes.py",
    "tests/messages_app/document_history/test_plans.py",
    "tests/messages_app/attach/test_services.py",
    "tests/messages_app/shared/test_replacements.py",
    "tests/pages/test_jobs.py",
    "tests/messages_app/cp_queue/worker/test_loop.py",
    "tests/spark_tasks/moves/test_rows.py",
    "tests/messages_app/attach/test_report.py",
    "tests/messages_app/attach/test_zones.py",
    "tests/pages/test_frame.py",
    "tests/messages_app/jobs/drivers/test_index_keys.py",
    "tests/messages_app/messages/detail/test_content_views.py",
    "tests/messages_app/incidents/test_plans.py",
    "tests/messages_app/access/test_admin.py",
    "tests/messages_app/business_keys/test_selectors_sensitive.py",
    "tests/messages_app/messages/detail/test_comparison_views.py",
    "tests/messages_app/core/test_middleware.py",
    "tests/rules/test_rules.py",
    "tests/pages/test_every_page.py",
    "tests/pages/test_manual.py",
    "tests/test_wheel.py",
    "tests/messages_app/jobs/kinds/test_registry.py",
    "tests/messages_app/jobs/services/test_bulk_guard_approvals.py",
    "tests/messages_app/attach/test_services_beside_hub.py",
    "tests/hubconsole/checks/test_database.py",
    "tests/hostile/test_admin.py",
    "tests/pages/test_a_styleguide.py",
    "tests/messages_app/jobs/drivers/test_resend_refused.py",
    "tests/messages_app/access/test_decorators.py",
    "tests/hubconsole/test_health.py",
    "tests/spark_tasks/actions/test_archive_rows.py",
    "tests/messages_app/business_keys/test_retention_attached.py",
    "tests/pages/test_page_rules.py",
    "tests/messages_app/service_map/test_plans.py",
    "tests/messages_app/jobs/archive_months/test_services.py",
    "tests/messages_app/jobs/drivers/test_transitions_after_the_plan.py",
    "tests/test_monitoring.py",
    "tests/pages/test_phone.py",
    "tests/messages_app/jobs/test_waiting.py",
    "tests/messages_app/jobs/api/test_views.py",
    "tests/messages_app/attach/test_views_ends_of_time.py",
    "tests/hubconsole/administration/test_settings_page.py",
    "tests/messages_app/message_store/services/test_schemas.py",
    "tests/hubconsole/test_preload.py",
    "tests/messages_app/test_admin.py",
    "tests/messages_app/management/commands/test_service.py",
    "tests/messages_app/jobs/views/create/test_views.py",
    "tests/pages/test_messages.py",
    "tests/messages_app/erasure/test_plans.py",
    "tests/pages/test_list_parts.py",
    "tests/messages_app/jobs/api/test_actions_steering.py",
    "tests/messages_app/incidents/test_gathering.py",
    "tests/pages/test_counted_links_attached.py",
    "tests/messages_app/erasure/test_messages.py",
    "tests/messages_app/jobs/services/test_control.py",
    "tests/messages_app/attach/test_services_busy.py",
    "tests/spark_tasks/actions/test_archive_plan_dry_run.py",
    "tests/pages/test_admin_tables.py",
    "tests/messages_app/messages/listing/test_views.py",
    "tests/pages/test_passkeys.py",
    "tests/messages_app/demo/test_loader.py",
)


def all_files() -> list[tuple[str, str]]:
    """Return (lane, path) of every test file: the components of pages, and then the longest first."""
    paths = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    listed = [*FIRST_FILES, *SLOWEST_FILES]
    if gone := set(listed) - paths:
        raise SystemExit(f"tests/support/files.py lists what is not there: {', '.join(sorted(gone))}")
    in_order = [*listed, *sorted(paths - set(listed))]
    return [(_lane_of(path), path) for path in in_order]


def fast_files() -> list[str]:
    """Return the files whose tests need neither tables nor a browser, Spark or another process."""
    return sorted(
        path
        for lane, path in all_files()
        if lane == REST and not _NEEDS_MORE.search((ROOT / path).read_text())
    )


def _lane_of(path: str) -> str:
    if path in _WITH_OWN_SPARK:
        return BROWSER
    # The tests of the client share its wheel, and some of them need Spark.
    if path.startswith(("tests/faults/", "tests/client/")) or _NEEDS_SPARK.search((ROOT / path).read_text()):
        return SPARK
    if path.startswith("tests/pages/"):
        return BROWSER
    return HUBS if _NEEDS_HUBS.search((ROOT / path).read_text()) else REST


class Queue:
    """Files that no one has taken yet, in a file that the processes lock for a moment each."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fill(self, files: list[tuple[str, str]]) -> None:
        self._path.write_text(json.dumps(files))

    def take(self, lanes: Sequence[str]) -> str | None:
        """Return the next file of one of the lanes, the first lane first, or None."""
        with self._path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            waiting = json.load(file)
            fitting = sorted(
                (each for each in waiting if each[0] in lanes), key=lambda each: lanes.index(each[0])
            )
            if not fitting:
                return None
            waiting.remove(fitting[0])
            file.seek(0)
            file.truncate()
            json.dump(waiting, file)
            return fitting[0][1]


if __name__ == "__main__":
    print(*fast_files())  # noqa: T201
