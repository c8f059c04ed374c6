-- One row for each object of the newest messages of a group, most FAILED messages first: the type and id of the object,
-- the number of its messages, the number of them that are FAILED, and the newest of them.
WITH newest AS (
  SELECT msg_id
    FROM failure_member
   WHERE group_id = %(group_id)s
   ORDER BY msg_id DESC
   LIMIT %(fence)s
)
SELECT coalesce(found.entity_type, '') AS entity_type, found.object_id, count(*) AS messages,
       count(*) FILTER (WHERE found.is_failed) AS failed, max(newest.msg_id) AS msg_id
  FROM newest
 CROSS JOIN LATERAL (SELECT entity_type, object_id, state = 'FAILED' AS is_failed
                       FROM message WHERE message.msg_id = newest.msg_id
                      UNION ALL
                     SELECT entity_type, object_id, false
                       FROM archive_message WHERE archive_message.msg_id = newest.msg_id
                      LIMIT 1) AS found
 WHERE found.object_id IS NOT NULL
 GROUP BY 1, 2
 ORDER BY 4 DESC, 3 DESC, 5 DESC
 LIMIT %(most)s
