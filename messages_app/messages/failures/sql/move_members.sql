-- Moves messages from a group of an earlier rule to their groups.
UPDATE failure_member
   SET group_id = moved.group_id
  FROM unnest(%(messages)s::bigint[], %(groups)s::bigint[]) AS moved (msg_id, group_id)
 WHERE failure_member.msg_id = moved.msg_id
   AND failure_member.group_id = %(group_id)s
