-- One row: the number of the newest messages of a group that are FAILED, and the newest of these, or NULL.
WITH newest AS (
  SELECT msg_id
    FROM failure_member
   WHERE group_id = %(group_id)s
   ORDER BY msg_id DESC
   LIMIT %(fence)s
)
SELECT count(*), max(newest.msg_id)
  FROM newest
  JOIN message ON message.msg_id = newest.msg_id
 WHERE message.state = 'FAILED'
