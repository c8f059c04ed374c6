-- The last gauges recorded in the 10 minutes before a time: one row per state, and one with an empty state.
SELECT state, messages, long, since
  FROM message_gauge
 WHERE minute = (SELECT max(minute)
                   FROM message_gauge
                  WHERE minute <= %(at)s AND minute > %(at)s::timestamptz - interval '10 minutes')
