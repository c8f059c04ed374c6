-- The facts that decide when a message is picked up: newer messages, whether its queue is paused, the
-- services that poll it; and, for a reserved message, whether its holder still polls.
SELECT (SELECT count(*)
          FROM (SELECT
                  FROM ONLY oscpmqueue AS other
                 WHERE other.queuename = message.queuename
                   AND other.lock_service IS NULL
                   AND (other.created, other.messageguid) > (message.created, message.messageguid)
                 ORDER BY other.created DESC, other.messageguid DESC
                 LIMIT %(fence)s) AS newer) AS newer,
       (SELECT other.messageguid
          FROM (SELECT messageguid, created
                  FROM ONLY oscpmqueue AS same
                 WHERE same.queuename = message.queuename
                   AND same.osid = message.osid
                   AND same.lock_service IS NULL
                 LIMIT %(fence)s) AS other
         WHERE (other.created, other.messageguid) > (message.created, message.messageguid)
         ORDER BY other.created DESC, other.messageguid DESC
         LIMIT 1) AS replaced_by,
       (SELECT paused_at FROM cp_pause AS pause WHERE pause.queuename = message.queuename) AS paused_at,
       (SELECT count(*)
          FROM cp_service AS service
         WHERE service.last_poll > statement_timestamp() - %(silent)s * interval '1 second'
           AND message.queuename = ANY (string_to_array(service.queues, ','))) AS pollers,
       holder.last_poll AS holder_polled_at,
       coalesce(holder.last_poll < statement_timestamp() - %(silent)s * interval '1 second', true) AS is_holder_silent,
       message.created > statement_timestamp() AS is_from_future
  FROM oscpmqueue AS message
  LEFT JOIN cp_service AS holder ON holder.service = message.lock_service
 WHERE message.messageguid = %(guid)s
