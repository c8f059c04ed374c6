-- The first `most` children of each message, counted by state from an index-only scan. The condition on the
-- parent is a range, as in family.sql.
SELECT parent.msg_id, child.state, count(*)
  FROM unnest(%(parents)s::bigint[], %(most)s::int[]) AS parent(msg_id, most)
 CROSS JOIN LATERAL ((SELECT state FROM message
                       WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
                       ORDER BY parent_msg_id, msg_id LIMIT parent.most)
                     UNION ALL
                     (SELECT state FROM archived_relative
                       WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
                       ORDER BY parent_msg_id, msg_id LIMIT parent.most)) AS child
 GROUP BY parent.msg_id, child.state
