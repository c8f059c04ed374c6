-- One row: whether every entry under a seal is older than the age limit: those between two ids without the ids under
-- later seals, and late ones.
SELECT coalesce(max(at) < now() - make_interval(months => %(months)s), true)
  FROM audit_entry
 WHERE (entry_id BETWEEN %(first_id)s AND %(last_id)s AND entry_id <> ALL (%(elsewhere)s::bigint[]))
    OR entry_id = ANY (%(late)s::bigint[])
