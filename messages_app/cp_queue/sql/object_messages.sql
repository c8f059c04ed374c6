-- All messages of one object, queue by queue, the newest first, up to the fence.
SELECT message.messageguid, message.queuename, message.ostype, message.created, message.lock_service,
       message.tableoid = 'cp_deferred'::regclass AS waits, deferred.not_before,
       coalesce(retry.attempts, 0) AS attempts, reservation.reserved_at
  FROM unnest(%(queues)s::text[]) AS asked (queuename)
 CROSS JOIN LATERAL (SELECT message.*, message.tableoid
                       FROM oscpmqueue AS message
                      WHERE message.queuename = asked.queuename
                        AND message.osid = %(osid)s
                      LIMIT %(fence)s) AS message
  LEFT JOIN cp_deferred AS deferred ON deferred.messageguid = message.messageguid
  LEFT JOIN cp_retry AS retry ON retry.messageguid = message.messageguid
  LEFT JOIN cp_reservation AS reservation
    ON reservation.messageguid = message.messageguid AND reservation.checkguid = message.checkguid
 ORDER BY message.queuename, message.created DESC, message.messageguid DESC
 LIMIT %(fence)s
