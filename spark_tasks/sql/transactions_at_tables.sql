-- One row per transaction of another session that has read or written one of the tables. VACUUM has another lock.
SELECT DISTINCT virtualtransaction
  FROM pg_locks
 WHERE locktype = 'relation'
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND relation = ANY (%(tables)s::regclass[])
   AND mode <> 'ShareUpdateExclusiveLock'
   AND pid <> pg_backend_pid()
