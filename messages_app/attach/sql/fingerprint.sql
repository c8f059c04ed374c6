-- One row: a digest of everything in the catalog about these schemas, without oids and without the archive tables that
-- the console has created. The search path of the session must be pg_catalog, because some definitions qualify only names
-- outside of it.
WITH relation AS (
  SELECT pg_class.oid, format('%%I.%%I', nspname, relname) AS name, relkind, relowner, relacl, reloptions
    FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
   WHERE nspname = ANY (%(schemas)s)
     AND NOT EXISTS (
       SELECT FROM pg_description
        WHERE classoid = 'pg_class'::regclass AND description = %(mark)s AND objsubid = 0
          AND objoid IN (pg_class.oid, (SELECT indrelid FROM pg_index WHERE indexrelid = pg_class.oid)))
), line AS (
  SELECT concat_ws(' ', 'relation', name, relkind::text, pg_get_userbyid(relowner), relacl::text,
                   reloptions::text) AS text
    FROM relation
   UNION ALL
  SELECT concat_ws(' ', 'column', name, attnum::text, attname, format_type(atttypid, atttypmod), attnotnull::text,
                   pg_get_expr(adbin, adrelid), attacl::text)
    FROM relation
    JOIN pg_attribute ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE relkind <> 'i'
   UNION ALL
  SELECT concat_ws(' ', 'constraint', name, conname, pg_get_constraintdef(pg_constraint.oid))
    FROM relation
    JOIN pg_constraint ON conrelid = relation.oid
   UNION ALL
  SELECT concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid::text)
    FROM relation
    JOIN pg_index ON indrelid = relation.oid
   UNION ALL
  SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid), tgenabled::text)
    FROM relation
    JOIN pg_trigger ON tgrelid = relation.oid AND NOT tgisinternal
   UNION ALL
  SELECT concat_ws(' ', 'rule', name, pg_get_ruledef(pg_rewrite.oid))
    FROM relation
    JOIN pg_rewrite ON ev_class = relation.oid
)
SELECT md5(string_agg(text, E'\n' ORDER BY text COLLATE "C")) FROM line
