-- One row for each group that failed after it was marked as fixed: its id.
UPDATE failure_group
   SET state = 'regressed', state_at = clock_timestamp()
 WHERE group_id = ANY (%(groups)s)
   AND state = 'fixed'
   AND last_seen > state_at
RETURNING group_id
