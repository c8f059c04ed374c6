-- Remove a free message; a reserved one stays with its service.
WITH gone AS (
    DELETE FROM oscpmqueue AS message
     WHERE message.messageguid = %(guid)s
       AND message.lock_service IS NULL
    RETURNING message.*
), forgotten AS (
    DELETE FROM cp_retry AS retry
     USING gone
     WHERE retry.messageguid = gone.messageguid
)
SELECT queuename, osid, ostype, created
  FROM gone
