-- A message, its parent, its parent's parent: up to the top, to a parent that is gone, or until a circle closes.
WITH RECURSIVE line AS (
  SELECT one.*, 0 AS depth, ARRAY[one.msg_id] AS path
    FROM ((SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name,
                  false AS archived
             FROM message WHERE msg_id = %(msg_id)s)
          UNION ALL
          (SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name, true
             FROM archived_relative WHERE msg_id = %(msg_id)s)
          LIMIT 1) AS one
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
