-- Reserves messages for a service: migrations/sql/cp_pickup.sql. A row without GUID: all were lost to others.
SELECT guid, queue, object_id, object_type, created_at AS created, collapsed,
       CASE WHEN %(is_fenced)s::boolean THEN checkguid END AS token
  FROM cp_pick(%(queues)s, %(service)s, NULL, %(is_fenced)s::boolean, %(most)s)
 WHERE guid IS NOT NULL
