-- One row per group and state of its newest messages, NULL for those archived or removed since: how many.
-- Messages are looked up one by one: a join would be free to read whole tables.
SELECT asked.group_id, live.state, count(*)
  FROM unnest(%(groups)s::bigint[]) AS asked (group_id)
 CROSS JOIN LATERAL (SELECT failure_member.msg_id
                       FROM failure_member
                      WHERE failure_member.group_id = asked.group_id
                      ORDER BY failure_member.msg_id DESC
                      LIMIT %(fence)s) AS newest
  LEFT JOIN LATERAL (SELECT message.state
                       FROM message
                      WHERE message.msg_id = newest.msg_id
                      LIMIT 1) AS live ON true
 GROUP BY asked.group_id, live.state
