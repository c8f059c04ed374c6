-- The funnel values of the archived messages.
INSERT INTO archive_funnel (funnel_id, msg_id, funnel_value)
SELECT funnel_id + shift, msg_id + shift, funnel_value
  FROM funnel, (SELECT (%(messages)s + 10)::bigint * %(ids)s AS shift) AS moved
 WHERE msg_id / %(ids)s %% 5 = 0
