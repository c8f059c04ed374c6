-- A message, its parent, the parent's parent and so on. Ends at the top, before a missing parent, or when a parent
-- is already in the line.
WITH RECURSIVE line AS (
  SELECT start.*, 0 AS depth, ARRAY[start.msg_id] AS path
    FROM ((SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name,
                  false AS archived
             FROM message WHERE msg_id = %(msg_id)s)
          UNION ALL
          (SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name, true
             FROM archived_relative WHERE msg_id = %(msg_id)s)
          LIMIT 1) AS start
   UNION ALL
  SELECT parent.*, line.depth + 1, line.path || parent.msg_id
    FROM line
   CROSS JOIN LATERAL ((SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name,
                               operation_name, false AS archived
                          FROM message WHERE msg_id = line.parent_msg_id)
                       UNION ALL
                       (SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name,
                               operation_name, true
                          FROM archived_relative WHERE msg_id = line.parent_msg_id)
                       LIMIT 1) AS parent
   WHERE line.parent_msg_id <> ALL (line.path) AND line.depth < %(most)s
)
SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name, archived
  FROM line
 ORDER BY depth
