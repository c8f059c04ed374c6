-- Adds a deployment; no row if it is already there.
INSERT INTO deployment (service_name, version, at, note, noted_by)
VALUES (%(service_name)s, %(version)s, COALESCE(%(at)s::timestamptz, statement_timestamp()), %(note)s, %(noted_by)s)
ON CONFLICT (service_name, version, at) DO NOTHING
RETURNING deployment_id
