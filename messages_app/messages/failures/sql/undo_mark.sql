-- Gives a group the status that it had before a person marked it, if it still has the one of that time. A group that has
-- failed since it was fixed stays as it is.
UPDATE failure_group
   SET state = %(former)s, state_at = %(former_at)s, snoozed_until = %(former_until)s
 WHERE group_id = %(group_id)s
   AND state = %(state)s
   AND state_at = %(moment)s
   AND (%(former)s <> 'fixed' OR last_seen <= %(former_at)s)
