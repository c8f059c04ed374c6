-- The message that a pickup would reserve now, and how many it would collapse, up to the fence. Nothing is
-- reserved. Due messages count as free, the longest due first, up to the number that a pickup brings back.
WITH asked AS (
    SELECT queuename
      FROM unnest(%(queues)s::text[]) AS given (queuename)
     WHERE NOT EXISTS (SELECT FROM cp_pause AS pause WHERE pause.queuename = given.queuename)
), candidate AS MATERIALIZED (
    SELECT one.*
      FROM asked
     CROSS JOIN LATERAL (
           (SELECT messageguid, queuename, osid, ostype, created
              FROM ONLY oscpmqueue AS message
             WHERE message.queuename = asked.queuename
               AND message.lock_service IS NULL
             ORDER BY message.created DESC, message.messageguid DESC
             LIMIT 1)
           UNION ALL
           (SELECT messageguid, queuename, osid, ostype, created
              FROM cp_deferred AS message
             WHERE message.queuename = asked.queuename
               AND message.not_before <= statement_timestamp()
             ORDER BY message.queuename, message.not_before
             LIMIT %(due)s)) AS one
     ORDER BY one.created DESC, one.messageguid DESC
     LIMIT 1
)
SELECT candidate.messageguid AS guid, candidate.queuename AS queue, candidate.osid AS object_id,
       candidate.ostype AS object_type, candidate.created,
       (SELECT count(*)
          FROM (SELECT
                  FROM oscpmqueue AS message
                 WHERE message.queuename = candidate.queuename
                   AND message.osid = candidate.osid
                   AND message.lock_service IS NULL
                   AND message.messageguid <> candidate.messageguid
                 LIMIT %(fence)s) AS others) AS collapsed,
       ARRAY(SELECT message.lock_service
               FROM oscpmqueue AS message
              WHERE message.queuename = candidate.queuename
                AND message.osid = candidate.osid
                AND message.lock_service IS NOT NULL
              LIMIT 20) AS held_by
  FROM candidate
