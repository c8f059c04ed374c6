-- One row per role that writes new ids to the hub's tables and may not draw them: the statement that grants it. The
-- function next_hub_id() draws them as its owner. The console's own sequence needs no privilege.
SELECT format('GRANT USAGE ON SEQUENCE %%s TO %%I', format('%%I.%%I', nspname, relname), pg_get_userbyid(proowner))
  FROM attachment
  JOIN pg_class ON pg_class.oid = hub_sequence()
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
  JOIN pg_proc ON pg_proc.oid = to_regprocedure('next_hub_id()')
 WHERE NOT has_sequence_privilege(proowner, pg_class.oid, 'USAGE')
