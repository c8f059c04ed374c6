SELECT seal_id, last_id, digest
  FROM audit_seal
 ORDER BY seal_id DESC
 LIMIT 1
