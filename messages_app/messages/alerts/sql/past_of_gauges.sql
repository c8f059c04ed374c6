-- One row for each minute at which the condition of a rule began or ended to hold, oldest first: (minute, whether it
-- holds). The value of a minute is that of the gauge of the state; a minute without one had no messages in the state.
SELECT minute, holds
  FROM (SELECT minute, holds, lag(holds) OVER (ORDER BY minute) AS held
          FROM (SELECT minute,
                       coalesce(bool_or(CASE %(reading)s
                                          WHEN 'messages' THEN messages > %(limit)s
                                          WHEN 'long' THEN long > %(limit)s
                                          ELSE isfinite(since)
                                               AND minute - since > make_interval(secs => %(seconds)s)
                                        END) FILTER (WHERE state = %(state)s), false) AS holds
                  FROM message_gauge
                 WHERE minute >= %(start)s AND state IN ('', %(state)s)
                 GROUP BY minute) AS minutes) AS changes
 WHERE holds IS DISTINCT FROM held
 ORDER BY minute
