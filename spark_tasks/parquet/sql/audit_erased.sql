-- One row: the actor and the erased rows, in the transaction that erases them.
INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, before_state, after_state, reason, details)
VALUES (%(actor)s, '', '', 'erase_subject', 'done', '', '', %(reason)s, %(details)s)
