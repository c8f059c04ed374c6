-- One row per message of the branches that begin with the given ones, live and archived: the branch, the
-- place and the depth. A cycle of parents ends a branch.
WITH RECURSIVE member (root, place, msg_id, depth) AS (
    SELECT id, %(place)s::text, id, 0 FROM unnest(%(ids)s::bigint[]) AS id
    UNION ALL
    SELECT member.root, child.place, child.msg_id, member.depth + 1
      FROM member
     CROSS JOIN LATERAL ((SELECT 'message' AS place, msg_id FROM message WHERE parent_msg_id = member.msg_id)
                         UNION ALL
                         (SELECT 'archive_message', msg_id FROM archive_message WHERE parent_msg_id = member.msg_id)
                         UNION ALL
                         (SELECT 'cold_message', msg_id FROM cold_message WHERE parent_msg_id = member.msg_id)) AS child
) CYCLE msg_id SET is_cycle USING path
SELECT root, place, msg_id, depth
  FROM member
 WHERE NOT is_cycle
