-- The archive tables of all layouts, without keys and indexes. Even OpenHub's archive_message has no place for
-- node_id and start_in_queue_timestamp. Source: docs/contributing/spec/hub_versions.md, "Archive tables of a hub".
CREATE TABLE archive_message (
  msg_id bigint NOT NULL,
  correlation_id varchar(100) NOT NULL,
  msg_timestamp timestamp NOT NULL,
  receive_timestamp timestamp NOT NULL,
  service varchar(30) NOT NULL,
  source_system varchar(15) NOT NULL,
  state varchar(15) NOT NULL,
  start_process_timestamp timestamp,
  object_id varchar(50),
  entity_type varchar(30),
  operation_name varchar(100) NOT NULL,
  payload text NOT NULL,
  envelope text,
  failed_desc text,
  failed_error_code varchar(5),
  failed_count integer NOT NULL,
  last_update_timestamp timestamp,
  custom_data varchar(20000),
  business_error varchar(20000),
  parent_msg_id bigint,
  funnel_value varchar(50),
  process_id varchar(100),
  parent_binding_type varchar(25),
  guaranteed_order boolean NOT NULL DEFAULT false,
  exclude_failed_state boolean NOT NULL DEFAULT false,
  funnel_component_id varchar(50)
);

CREATE TABLE archive_external_call (
  call_id bigint NOT NULL,
  creation_timestamp timestamp NOT NULL,
  entity_id varchar(150) NOT NULL,
  failed_count integer NOT NULL,
  last_update_timestamp timestamp NOT NULL,
  msg_timestamp timestamp NOT NULL,
  msg_id bigint NOT NULL,
  operation_name varchar(100) NOT NULL,
  state varchar(20) NOT NULL
);

CREATE TABLE archive_request (
  req_id bigint NOT NULL,
  msg_id bigint,
  res_join_id varchar(100) NOT NULL,
  uri varchar(400) NOT NULL,
  req_envelope text NOT NULL,
  req_timestamp timestamp NOT NULL
);

CREATE TABLE archive_response (
  res_id bigint NOT NULL,
  req_id bigint,
  res_envelope text,
  failed_reason text,
  res_timestamp timestamp,
  failed boolean NOT NULL DEFAULT false,
  msg_id bigint
);
