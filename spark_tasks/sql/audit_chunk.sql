-- One row: the actor and the action, in the transaction of the action.
INSERT INTO audit_entry (actor, actor_id, token_name, request_id, action, outcome, job_id,
                         before_state, after_state, reason, details)
SELECT created_by, creator_id, '', '', kind, 'done', job_id, '', %(after_state)s, reason, %(details)s
  FROM job
 WHERE job_id = %(job_id)s
