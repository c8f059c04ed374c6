-- The rows have no key: nothing looks one up, and an index and a sequence would cost the hub more than the row.
CREATE TABLE message_change (
  minute timestamptz NOT NULL,
  state varchar(15) NOT NULL,
  service_name varchar(30) NOT NULL,
  operation_name varchar(100) NOT NULL,
  source_system varchar(15) NOT NULL,
  failed_error_code varchar(5),
  present integer NOT NULL,
  entered integer NOT NULL,
  took smallint[],
  received_at timestamptz,
  at timestamptz,
  old_minute timestamptz,
  old_state varchar(15),
  old_service_name varchar(30),
  old_operation_name varchar(100),
  old_source_system varchar(15),
  old_failed_error_code varchar(5)
);

-- A publication of all tables, as for a logical replica, otherwise makes the server refuse to delete rows without a key.
ALTER TABLE message_change REPLICA IDENTITY FULL;
