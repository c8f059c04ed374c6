-- How many reserved messages a reset would free, up to the fence; the conditions are those of release.sql.
SELECT count(*)
  FROM (SELECT
          FROM oscpmqueue AS message
         WHERE message.lock_service IS NOT NULL
           AND (%(service)s::text IS NULL OR message.lock_service = %(service)s)
           AND (%(queue)s::text IS NULL OR message.queuename = %(queue)s)
           AND (%(osid)s::int IS NULL OR message.osid = %(osid)s)
           AND (%(ostype)s::int IS NULL OR message.ostype = %(ostype)s)
           AND (%(created_before)s::timestamptz IS NULL OR message.created < %(created_before)s)
         LIMIT %(fence)s) AS selected
