"""Runs a whole job in this process, like a worker."""


def run_job(kind: str, *, filter: dict, options: dict) -> float:
    """Return the seconds of a job from its creation to its end: plan, ledger and audit are part of them."""
    from messages_app.audit.services import SYSTEM
    from messages_app.jobs.engine import runner
    from messages_app.jobs.leases import claim_job, renewed_lease
    from messages_app.jobs.services.create import create_job

    job = create_job(
        kind=kind,
        filter=filter,
        options=options,
        dry_run=False,
        reason="benchmark",
        actor=SYSTEM,
        user=None,
    )
    lease = claim_job(job.pk)
    with renewed_lease(lease), runner.spark_session(runner.spark_address()) as spark:
        runner.plan_job(spark, lease, job)
        runner.work_off(spark, lease, job)
    job.refresh_from_db()
    if job.state != "done":
        raise SystemExit(f"The job ended as {job.state}: {job.error}")
    # Tables are analyzed after the end, and no one waits for that.
    return (job.finished_at - job.created_at).total_seconds()
