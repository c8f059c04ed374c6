-- Timeouts of the last hours, by where the message was; and the time of the last one.
SELECT coalesce(sum(fired) FILTER (WHERE status = 1), 0)::int,
       coalesce(sum(fired) FILTER (WHERE status = 3), 0)::int,
       (SELECT max(hour) FROM store_timeout)
  FROM store_timeout
 WHERE hour > statement_timestamp() - %(hours)s * interval '1 hour'
