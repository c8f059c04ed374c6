-- One row per message of the object, over all queues: whether a service holds it.
SELECT message.messageguid, message.lock_service IS NOT NULL
  FROM unnest(%(queues)s::text[]) AS asked (queuename)
 CROSS JOIN LATERAL (SELECT messageguid, lock_service
                       FROM oscpmqueue AS message
                      WHERE message.queuename = asked.queuename
                        AND message.osid = %(osid)s) AS message
 ORDER BY 1
