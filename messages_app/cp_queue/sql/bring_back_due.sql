-- Makes due messages available again, the longest due first, up to the limit of one call.
WITH due AS MATERIALIZED (
    SELECT message.messageguid
      FROM unnest(%(queues)s::text[]) AS asked (queuename)
     CROSS JOIN LATERAL (SELECT messageguid
                           FROM cp_deferred AS message
                          WHERE message.queuename = asked.queuename
                            AND message.not_before <= statement_timestamp()
                            AND message.lock_service IS NULL
                          ORDER BY message.queuename, message.not_before
                          LIMIT %(limit)s
                            FOR UPDATE SKIP LOCKED) AS message
), moved AS (
    DELETE FROM cp_deferred AS message
     WHERE message.messageguid = ANY (ARRAY(SELECT messageguid FROM due))
    RETURNING message.messageguid, message.queuename, message.osid, message.ostype, message.created
)
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT messageguid, queuename, osid, ostype, created
  FROM moved
