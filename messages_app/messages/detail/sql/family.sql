-- A root and its descendants, level by level. A message has one parent, so only the root can occur again.
-- The condition on the parent is a range with a matching order, so that only the index of children fits. With
-- equality, if most rows have the same parent, the planner would scan all messages by key, once for each member.
WITH RECURSIVE family AS (
  SELECT start.*, 0 AS depth
    FROM ((SELECT msg_id, parent_msg_id, state, parent_binding_type, false AS archived
             FROM message WHERE msg_id = %(root)s)
          UNION ALL
          (SELECT msg_id, parent_msg_id, state, parent_binding_type, true
             FROM archived_relative WHERE msg_id = %(root)s)
          LIMIT 1) AS start
   UNION ALL
  SELECT child.*, family.depth + 1
    FROM family
   CROSS JOIN LATERAL ((SELECT msg_id, parent_msg_id, state, parent_binding_type, false AS archived
                          FROM message
                         WHERE parent_msg_id BETWEEN family.msg_id AND family.msg_id
                           AND msg_id <> %(root)s
                         ORDER BY parent_msg_id, msg_id
                         LIMIT %(most)s)
                       UNION ALL
                       (SELECT msg_id, parent_msg_id, state, parent_binding_type, true
                          FROM archived_relative
                         WHERE parent_msg_id BETWEEN family.msg_id AND family.msg_id
                           AND msg_id <> %(root)s
                         ORDER BY parent_msg_id, msg_id
                         LIMIT %(most)s)) AS child
)
SELECT msg_id, parent_msg_id, state, parent_binding_type, archived, depth
  FROM family
 LIMIT %(most)s
