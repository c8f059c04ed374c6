INSERT INTO group_mapping (issuer, group_name, role_id, created_at)
VALUES (%(issuer)s, %(group_name)s, %(role_id)s, statement_timestamp())
ON CONFLICT (issuer, group_name, role_id) DO NOTHING
RETURNING mapping_id
