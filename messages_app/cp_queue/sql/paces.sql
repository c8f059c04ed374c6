-- Dispatches of the last slices of time, the newest slice 0, of each queue the newest up to the fence. The
-- range and the order are those of queue_counts, which only one index has.
SELECT asked.queuename,
       floor(extract(epoch FROM statement_timestamp() - newest.at) / %(step)s)::int AS slice,
       count(*) AS dispatched,
       count(*) FILTER (WHERE newest.outcome = 'failed') AS failed
  FROM unnest(%(queues)s::text[]) AS asked (queuename)
 CROSS JOIN LATERAL (SELECT at, outcome
                       FROM cp_dispatch AS log
                      WHERE log.queuename >= asked.queuename
                        AND log.queuename <= asked.queuename
                      ORDER BY log.queuename DESC, log.dispatch_id DESC
                      LIMIT %(fence)s) AS newest
 WHERE newest.at > statement_timestamp() - %(slices)s * %(step)s * interval '1 second'
   AND newest.at <= statement_timestamp()
 GROUP BY 1, 2
