-- One row per live parent or child of the given messages, with the message that it is related to.
SELECT parent_msg_id AS related_to, msg_id, state
  FROM message
 WHERE parent_msg_id = ANY (%(ids)s)
UNION ALL
SELECT child.msg_id, parent.msg_id, parent.state
  FROM message AS child
  JOIN message AS parent ON parent.msg_id = child.parent_msg_id
 WHERE child.msg_id = ANY (%(ids)s)
