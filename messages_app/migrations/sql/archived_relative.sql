-- A family may be in the archive tables, in Parquet files, or in both: this finds its members.
CREATE VIEW archived_relative AS
SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name
  FROM archive_message
 UNION ALL
SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name
  FROM cold_message;
