-- One row: the active job that has the message and has not come to it yet, NULL where none has (migration 0008).
SELECT job_holding(%(msg_id)s)
