-- Services that no longer poll, and the pickups that two indexers lost to each other until one of them died. The
-- services that run are recorded by their polls.
WITH stopped AS (
  INSERT INTO cp_service (service, first_poll, last_poll, queues)
  SELECT service, %(at)s - interval '40 days', %(at)s - ago, queues
    FROM (VALUES (%(dead)s, interval '3 hours', %(dead_queues)s), (%(stopped)s, interval '3 days', 'PAGECOUNT'))
         AS old (service, ago, queues)
)
INSERT INTO cp_lost_pickup (queuename, hour, service, lost)
SELECT 'FULLTEXTIDX', date_trunc('hour', %(at)s, 'UTC') - interval '1 hour' * ago, service, lost
  FROM (SELECT ago, service, (hashtext(%(seed)s || service || ago) & 2147483647) %% 6 AS lost
          FROM generate_series(4, 19) AS ago, (VALUES (%(indexer)s), (%(dead)s)) AS indexer (service)) AS hourly
 WHERE lost > 0
