-- One row per failure group that included one of the messages, because its example may be from that message.
UPDATE failure_group
   SET example = %(erased)s
 WHERE group_id IN (SELECT group_id FROM failure_member WHERE msg_id = ANY (%(ids)s))
   AND example <> %(erased)s
RETURNING group_id
