-- The log of the last day: each of the latest documents was indexed and rendered, and a few renditions failed or
-- were retried. Ids follow the order of time.
WITH seeded AS MATERIALIZED (SELECT setseed(%(luck)s)),
document AS MATERIALIZED (
  SELECT number, osid, ostype, %(at)s - interval '1 minute' - interval '1 day' * random() ^ 1.5 AS created
    FROM seeded, unnest(%(osids)s, %(ostypes)s) WITH ORDINALITY AS object (osid, ostype, number)
),
work AS MATERIALIZED (
  SELECT document.*, queuename, service, random() AS luck, 0.1 + 40 * random() AS waited,
         0.3 + 1.7 * random() AS worked, random() AS collapses, md5(random()::text) AS guid
    FROM document,
         (VALUES ('FULLTEXTIDX', %(indexer)s), ('RENDITION', %(cache)s)) AS queue (queuename, service)
   ORDER BY number, queuename
),
ended AS (
  SELECT work.*, created + make_interval(secs => waited) AS reserved_at,
         CASE WHEN queuename <> 'RENDITION' OR luck >= 0.07 THEN 'done'
              WHEN luck < 0.03 THEN 'failed'
              ELSE 'deferred' END AS outcome
    FROM work
)
INSERT INTO cp_dispatch (at, messageguid, queuename, osid, ostype, created, service, reason, outcome, reserved_at,
                         collapsed, attempts, actor)
SELECT reserved_at + make_interval(secs => worked), upper(guid), queuename, osid, ostype, created, service,
       CASE outcome WHEN 'done' THEN 'OK' WHEN 'failed' THEN 'FAILED: no converter for image/x-pcx' ELSE 'RETRY' END,
       outcome, reserved_at, (ARRAY[0, 0, 0, 0, 1, 3])[1 + floor(6 * collapses)::int], (outcome = 'deferred')::int, ''
  FROM ended
 ORDER BY reserved_at + make_interval(secs => worked)
