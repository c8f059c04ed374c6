-- The number of outcomes with one status in each slice of time: the newest of each trigger, up to the fence.
-- The status is a literal, because each has an index of its own; the trigger's condition is the one of
-- trigger_counts.
SELECT floor(extract(epoch FROM found.at - %(first)s::timestamptz) / %(step)s)::int AS slice,
       count(*),
       max(found.number)
  FROM (SELECT trigger_id, cleared_at
          FROM document_trigger
         WHERE trigger_id = ANY (%(trigger_ids)s)) AS own,
       LATERAL (SELECT newest.at, row_number() OVER () AS number
                  FROM (SELECT at
                          FROM document_outcome
                         WHERE (trigger_id, at)
                               > (own.trigger_id, greatest(own.cleared_at, %(start)s::timestamptz))
                           AND (trigger_id, at) <= (own.trigger_id, %(stop)s::timestamptz)
                           AND status = '{status}'
                         ORDER BY trigger_id DESC, at DESC
                         LIMIT %(fence)s) AS newest) AS found
 GROUP BY 1
