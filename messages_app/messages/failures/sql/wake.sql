-- One row per group whose time to sleep is over: its id. It is known again.
UPDATE failure_group
   SET state = 'known', state_at = clock_timestamp(), snoozed_until = NULL
 WHERE state = 'snoozed'
   AND snoozed_until <= clock_timestamp()
RETURNING group_id
