-- One row: who moved what, in the transaction that moved it.
INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, job_id,
                         before_state, after_state, reason, details)
SELECT created_by, '', '', kind, 'done', job_id, '', '', reason, %(details)s
  FROM job
 WHERE job_id = %(job_id)s
