-- Figures of queues. The newest free messages, and messages that wait after a retry, are counted up to the
-- fence each. Dispatches and retries are counted among the newest in the log, for the last minutes.
SELECT asked.queuename,
       waiting.*,
       oldest.created AS oldest_created,
       newest.created AS newest_created,
       -- Before version 17, PostgreSQL cannot subtract an infinite time.
       CASE WHEN isfinite(oldest.created)
            THEN extract(epoch FROM clock_timestamp() - oldest.created)::float8 END AS oldest_age,
       newest.created > clock_timestamp() AS is_from_future,
       done.*,
       (SELECT coalesce(sum(lost), 0)
          FROM cp_lost_pickup AS pickup
         WHERE pickup.queuename = asked.queuename
           AND pickup.hour > clock_timestamp() - interval '1 hour') AS lost,
       (SELECT paused_at FROM cp_pause AS pause WHERE pause.queuename = asked.queuename) AS paused_at
  FROM unnest(%(queues)s::text[]) AS asked (queuename)
 CROSS JOIN LATERAL (
       SELECT count(*) AS free,
              count(*) FILTER (WHERE wait = 'deferred') AS deferred,
              count(*) FILTER (WHERE wait = 'parked') AS parked,
              count(DISTINCT osid) AS objects
         FROM ((SELECT osid, NULL AS wait
                  FROM ONLY oscpmqueue AS message
                 WHERE message.queuename = asked.queuename
                   AND message.lock_service IS NULL
                 ORDER BY message.created DESC, message.messageguid DESC
                 LIMIT %(fence)s)
               UNION ALL
               (SELECT osid, CASE WHEN not_before IS NULL THEN 'parked' ELSE 'deferred' END AS wait
                  FROM cp_deferred AS message
                 WHERE message.queuename = asked.queuename
                 ORDER BY message.created DESC, message.messageguid DESC
                 LIMIT %(fence)s)) AS one) AS waiting
  LEFT JOIN LATERAL (
       SELECT created
         FROM ONLY oscpmqueue AS message
        WHERE message.queuename = asked.queuename
          AND message.lock_service IS NULL
        ORDER BY message.created, message.messageguid
        LIMIT 1) AS oldest ON true
  LEFT JOIN LATERAL (
       SELECT created
         FROM ONLY oscpmqueue AS message
        WHERE message.queuename = asked.queuename
          AND message.lock_service IS NULL
        ORDER BY message.created DESC, message.messageguid DESC
        LIMIT 1) AS newest ON true
 CROSS JOIN LATERAL (
       SELECT count(*) AS dispatched,
              count(*) FILTER (WHERE outcome IN ('deferred', 'parked')) AS retried,
              count(*) FILTER (WHERE outcome = 'failed') AS failed,
              extract(epoch FROM clock_timestamp() - min(at))::float8 AS span
         FROM (SELECT at, outcome
                 FROM cp_dispatch AS log
                -- Only one index has this range and order. The other would read the whole log for an idle
                -- queue.
                WHERE log.queuename >= asked.queuename
                  AND log.queuename <= asked.queuename
                ORDER BY log.queuename DESC, log.dispatch_id DESC
                LIMIT %(log_fence)s) AS latest
        WHERE at > clock_timestamp() - %(minutes)s * interval '1 minute') AS done
 ORDER BY asked.queuename
