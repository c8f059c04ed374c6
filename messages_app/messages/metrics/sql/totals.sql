-- Number of messages in each of the given states, counted up to the fence.
SELECT one.state, counted.rows
  FROM unnest(%(states)s::text[]) AS one(state)
 CROSS JOIN LATERAL (SELECT count(*) AS rows
                       FROM (SELECT FROM message
                              WHERE message.state = one.state AND NOT message.state = 'OK'
                              LIMIT %(fence)s) AS found) AS counted
