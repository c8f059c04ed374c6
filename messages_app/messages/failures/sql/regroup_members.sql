-- One row for each of the newest messages of a group below an id: its id, the time of its failure, and its error if it is
-- FAILED. Messages are read one by one, because the planner may read whole tables for a join.
SELECT newest.msg_id, newest.at, live.text
  FROM (SELECT msg_id, at
          FROM failure_member
         WHERE group_id = %(group_id)s
           AND msg_id < %(below)s
         ORDER BY msg_id DESC
         LIMIT %(most)s) AS newest
  LEFT JOIN LATERAL (SELECT failure_excerpt(coalesce(message.failed_desc, '')) AS text
                       FROM message
                      WHERE message.msg_id = newest.msg_id
                        AND message.state = 'FAILED'
                      LIMIT 1) AS live ON true
 ORDER BY newest.msg_id DESC
