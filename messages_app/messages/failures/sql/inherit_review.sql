-- Groups that were split off a group have its state, owner, ticket and note, unless it has to be reviewed anyway.
UPDATE failure_group AS split
   SET state = CASE WHEN old.state IN ('known', 'snoozed') THEN old.state ELSE split.state END,
       snoozed_until = CASE WHEN old.state = 'snoozed' THEN old.snoozed_until END,
       owner = old.owner, ticket = old.ticket, note = old.note
  FROM failure_group AS old
 WHERE old.group_id = %(group_id)s
   AND split.group_id = ANY (%(groups)s)
