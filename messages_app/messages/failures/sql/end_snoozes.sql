-- One row for each group whose snooze has expired, and which is now known: its id.
UPDATE failure_group
   SET state = 'known', state_at = clock_timestamp(), snoozed_until = NULL
 WHERE state = 'snoozed'
   AND snoozed_until <= clock_timestamp()
RETURNING group_id
