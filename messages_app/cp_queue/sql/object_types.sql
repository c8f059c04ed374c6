-- A queue's messages by the type of their objects: rows counted up to the fence, in the order of an index.
SELECT ostype AS object_type, count(*) AS messages, count(lock_service) AS reserved
  FROM (SELECT ostype, lock_service
          FROM oscpmqueue AS message
         WHERE message.queuename >= %(queue)s
           AND message.queuename <= %(queue)s
         ORDER BY message.queuename, message.osid
         LIMIT %(fence)s) AS looked_at
 GROUP BY ostype
 ORDER BY messages DESC, object_type
 LIMIT %(most)s
