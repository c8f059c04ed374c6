-- One row for each message with an external system at which its newest failure happened.
SELECT failure_member.msg_id, failure_cell.external_system
  FROM failure_member
  JOIN failure_cell USING (cell_id)
 WHERE failure_member.msg_id = ANY (%(ids)s)
   AND failure_cell.external_system <> ''
