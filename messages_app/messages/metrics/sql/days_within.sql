-- One row for each day (UTC) of a service: the ended messages, and of these the messages up to a step.
SELECT date_trunc('day', minute, 'UTC'), sum(messages), coalesce(sum(messages) FILTER (WHERE step <= %(step)s), 0)
  FROM message_took
 WHERE service_name = %(name)s AND minute >= %(start)s
 GROUP BY 1
