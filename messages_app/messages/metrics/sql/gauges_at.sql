-- What was noted last before a time, a few minutes before at most: one row per state, and one without a state.
SELECT state, messages, long, since
  FROM message_gauge
 WHERE minute = (SELECT max(minute)
                   FROM message_gauge
                  WHERE minute <= %(at)s AND minute > %(at)s::timestamptz - interval '10 minutes')
