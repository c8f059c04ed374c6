-- One row per group of failures that one of the messages belonged to: its example may be theirs.
UPDATE failure_group
   SET example = %(erased)s
 WHERE group_id IN (SELECT group_id FROM failure_member WHERE msg_id = ANY (%(ids)s))
   AND example <> %(erased)s
RETURNING group_id
