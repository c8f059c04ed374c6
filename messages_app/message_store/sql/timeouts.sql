-- Those of the last hours, by what they took a message from; and when there was one at last.
SELECT coalesce(sum(fired) FILTER (WHERE status = 1), 0)::int,
       coalesce(sum(fired) FILTER (WHERE status = 3), 0)::int,
       (SELECT max(hour) FROM store_timeout)
  FROM store_timeout
 WHERE hour > statement_timestamp() - %(hours)s * interval '1 hour'
