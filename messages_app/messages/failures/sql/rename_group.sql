-- Gives a group of an earlier rule its present identity, unless another group has it.
UPDATE failure_group
   SET fingerprint = %(fingerprint)s, summary = %(summary)s, regroup_below = %(checking)s
 WHERE group_id = %(group_id)s
   AND regroup_below = %(unchecked)s
   AND NOT EXISTS (SELECT FROM failure_group AS other
                    WHERE other.fingerprint = %(fingerprint)s AND other.group_id <> %(group_id)s)
