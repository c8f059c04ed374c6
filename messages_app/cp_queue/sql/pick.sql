-- Reserves messages for a service: migrations/sql/cp_pickup.sql. A row without GUID: all were lost to others.
SELECT guid, queue, object_id, object_type, created_at, checkguid, collapsed
  FROM cp_pick(%(queues)s, %(service)s, %(checkguid)s, %(is_fenced)s, %(most)s)
