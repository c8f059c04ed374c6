-- The only key of the archive of script 0.6. Source: docs/contributing/spec/hub_versions.md, "Archive tables of a hub".
ALTER TABLE archive_response ADD CONSTRAINT response_pkey PRIMARY KEY (res_id);
