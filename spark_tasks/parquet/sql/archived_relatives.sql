-- One row per archived parent or child of the given messages, with the message that it is related to.
SELECT parent_msg_id AS related_to, msg_id
  FROM archived_relative
 WHERE parent_msg_id = ANY (%(ids)s)
UNION ALL
SELECT child.msg_id, parent.msg_id
  FROM (SELECT msg_id, parent_msg_id FROM archived_relative WHERE msg_id = ANY (%(ids)s)) AS child
 CROSS JOIN LATERAL (SELECT msg_id FROM archived_relative WHERE msg_id = child.parent_msg_id) AS parent
