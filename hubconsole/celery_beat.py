"""What Celery's beat has done again and again. Administrators change the times in the admin."""


def schedule(*, monitor_every: float) -> dict[str, dict]:
    """
    Return Celery's table of periodic tasks by name; times are seconds.

    Args:
        monitor_every: how often the message store's monitor looks for what is due.
    """
    return {
        "sweep-jobs": {"task": "messages_app.jobs.tasks.sweep_jobs", "schedule": 10.0},
        "watch-jobs": {
            "task": "messages_app.jobs.tasks.watch_jobs",
            "schedule": 5.0,
            "options": {"expires": 5.0},  # a look that comes late is one too many
        },
        "fold-counts": {
            "task": "messages_app.messages.metrics.tasks.fold_counts",
            "schedule": 5.0,
            "options": {"expires": 5.0},
        },
        "join-failures": {
            "task": "messages_app.messages.failures.tasks.join_failures",
            "schedule": 5.0,
            "options": {"expires": 5.0},
        },
        "check-watch-rules": {
            "task": "messages_app.messages.alerts.tasks.check_rules",
            "schedule": 15.0,
            "options": {"expires": 15.0},
        },
        "coarsen-counts": {
            "task": "messages_app.messages.metrics.tasks.coarsen_counts",
            "schedule": 3600.0,
        },
        "coarsen-failures": {
            "task": "messages_app.messages.failures.tasks.coarsen_failures",
            "schedule": 3600.0,
        },
        "remove-old-exports": {
            "task": "messages_app.jobs.exports.tasks.remove_old_exports",
            "schedule": 300.0,
            "options": {"expires": 300.0},
        },
        # The vendor's ten minutes, and editable as there: docs/spec/document_history.md, "Retention".
        "sweep-document-history": {
            "task": "messages_app.document_history.tasks.sweep_document_history",
            "schedule": 600.0,
        },
        "forget-cp-log": {"task": "messages_app.cp_queue.tasks.forget_old_log", "schedule": 600.0},
        # The vendor's monitor.interval, and editable as there: docs/spec/message_store.md,
        # "Monitor and retries".
        "monitor-message-store": {
            "task": "messages_app.message_store.tasks.monitor_message_store",
            "schedule": monitor_every,
            "options": {"expires": monitor_every},
        },
        "seal-audit": {
            "task": "messages_app.audit.tasks.seal_audit",
            "schedule": 60.0,
            "options": {"expires": 60.0},
        },
        "forget-old-keys": {"task": "messages_app.access.tasks.forget_old_keys", "schedule": 3600.0},
        "forget-old-tries": {"task": "messages_app.access.tasks.forget_old_tries", "schedule": 3600.0},
        "forget-ended-sessions": {
            "task": "messages_app.access.tasks.forget_ended_sessions",
            "schedule": 3600.0,
        },
    }
