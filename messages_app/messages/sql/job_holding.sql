-- One row: the active job that still has to process the message, or NULL (migration 0008).
SELECT job_holding(%(msg_id)s)
