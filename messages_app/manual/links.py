"""The chapters that explain errors, and pages outside the menu. Entries of the menu name their own."""

# By the code of the error. Others are explained by the list of all codes.
CHAPTERS_OF_ERRORS = {
    "archive_unreadable": "reference/archive#archive-to-parquet",
    "archived": "reference/archive#restore",
    "csrf_failed": "reference/sessions#input-when-a-session-ends",
    "database_permission": "reference/security#permissions-of-database-roles",
    "database_unavailable": "howto/database_failover",
    "export_space": "reference/export",
    "gone": "reference/export",
    "in_job": "reference/jobs#messages-in-a-job",
    "not_attached_for_this": "howto/attach#what-works",
    "permission_denied": "reference/security",
    "second_factor_required": "reference/second_factor#setting-it-up",
    "unknown_host": "reference/settings#the-web",
}
ALL_ERRORS = "reference/errors"

# By the beginning of the address.
CHAPTERS_OF_PAGES = {
    "/alerts/": "reference/overview#alerts",
    "/deployments/": "howto/report_deployments",
    "/me/": "reference/sessions#your-settings",
    "/mentions/": "reference/overview#notes",
    "/password/": "reference/sessions#your-password",
    "/reveal/": "reference/sessions#masked-values",
    "/second-factor/": "reference/second_factor",
    "/sessions/": "reference/sessions",
    "/setup/": "reference/overview#the-setup-checklist",
    "/watch-rules/": "reference/overview#alerts",
    "/webhooks/": "howto/follow_jobs_and_messages",
}


def chapter_of_error(code: str) -> str:
    """Return the chapter that explains an error."""
    return CHAPTERS_OF_ERRORS.get(code, ALL_ERRORS)
