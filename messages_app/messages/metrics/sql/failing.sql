-- One row for each failure group with live messages that are FAILED now: the group, their number, and the newest of
-- them. The group is NULL for messages that are in no group. The index on the state has their ids. Groups are looked up
-- one by one, because the planner may read the whole table for a join.
WITH failing AS (
  SELECT msg_id
    FROM message
   WHERE state = 'FAILED'
   LIMIT %(fence)s
)
SELECT member.group_id, count(*), max(failing.msg_id)
  FROM failing
  LEFT JOIN LATERAL (SELECT failure_member.group_id
                       FROM failure_member
                      WHERE failure_member.msg_id = failing.msg_id
                      LIMIT 1) AS member ON true
 GROUP BY member.group_id
