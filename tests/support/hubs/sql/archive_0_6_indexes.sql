-- The indexes that script 0.6 adds to the live tables. Source: docs/contributing/spec/hub_versions.md, "Other live
-- tables".
CREATE INDEX external_call__message_id_idx ON external_call (msg_id);
CREATE INDEX request__message_id_idx ON request (msg_id);
CREATE INDEX response__request_id_idx ON response (req_id);
