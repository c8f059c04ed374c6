-- The next children of each parent: failed ones, then unfinished and cancelled ones, then completed ones;
-- in each part, live ones before archived ones. Only keys are selected, from the index, beginning with `part`;
-- first_0 to first_5 are the first ids of the six parts. The condition on the parent is a range, as in family.sql.
SELECT child.parent, child.part, row.*
  FROM unnest(%(parents)s::bigint[]) AS parent(msg_id)
 CROSS JOIN LATERAL (
   SELECT parent.msg_id AS parent, part, msg_id
     FROM ((SELECT 0 AS part, msg_id FROM message
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state = ANY (%(failed)s) AND %(part)s <= 0 AND msg_id >= %(first_0)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)
           UNION ALL
           (SELECT 1, msg_id FROM archived_relative
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state = ANY (%(failed)s) AND %(part)s <= 1 AND msg_id >= %(first_1)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)
           UNION ALL
           (SELECT 2, msg_id FROM message
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state <> ALL (%(failed_or_ok)s) AND %(part)s <= 2 AND msg_id >= %(first_2)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)
           UNION ALL
           (SELECT 3, msg_id FROM archived_relative
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state <> ALL (%(failed_or_ok)s) AND %(part)s <= 3 AND msg_id >= %(first_3)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)
           UNION ALL
           (SELECT 4, msg_id FROM message
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state = %(ok)s AND %(part)s <= 4 AND msg_id >= %(first_4)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)
           UNION ALL
           (SELECT 5, msg_id FROM archived_relative
             WHERE parent_msg_id BETWEEN parent.msg_id AND parent.msg_id
               AND state = %(ok)s AND %(part)s <= 5 AND msg_id >= %(first_5)s
             ORDER BY parent_msg_id, msg_id LIMIT %(most)s)) AS candidate
    ORDER BY part, msg_id
    LIMIT %(most)s) AS child
 CROSS JOIN LATERAL (
   (SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name, false AS archived
      FROM message WHERE message.msg_id = child.msg_id AND child.part IN (0, 2, 4))
   UNION ALL
   (SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name, true
      FROM archived_relative WHERE archived_relative.msg_id = child.msg_id AND child.part IN (1, 3, 5))) AS row
 ORDER BY child.parent, child.part, child.msg_id
