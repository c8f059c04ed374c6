-- The live tables of CleverBus 1.1 and OpenHub 1.0: the base script and script 0.4.
-- Source: docs/contributing/spec/hub_versions.md, "Message columns", "Other live tables".
CREATE TABLE message (
  msg_id bigint PRIMARY KEY,
  correlation_id varchar(100) NOT NULL,
  process_id varchar(100),
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
  parent_binding_type varchar(25),
  guaranteed_order boolean NOT NULL DEFAULT false,
  exclude_failed_state boolean NOT NULL DEFAULT false,
  funnel_component_id varchar(50),
  CONSTRAINT uq_correlation_system UNIQUE (correlation_id, source_system)
);
CREATE INDEX msg_state_idx ON message (state);
CREATE INDEX funnel_value_idx ON message (funnel_value);

CREATE TABLE external_call (
  call_id bigint PRIMARY KEY,
  creation_timestamp timestamp NOT NULL,
  entity_id varchar(150) NOT NULL,
  failed_count integer NOT NULL,
  last_update_timestamp timestamp NOT NULL,
  msg_timestamp timestamp NOT NULL,
  msg_id bigint NOT NULL CONSTRAINT fk_external_call_message REFERENCES message,
  operation_name varchar(100) NOT NULL,
  state varchar(20) NOT NULL,
  CONSTRAINT uq_ext_call_operation_entity_id UNIQUE (operation_name, entity_id)
);
CREATE INDEX operation_name_idx ON external_call (operation_name);
CREATE INDEX ext_state_idx ON external_call (state);

CREATE TABLE request (
  req_id bigint PRIMARY KEY,
  msg_id bigint CONSTRAINT fk_request_message REFERENCES message,
  res_join_id varchar(100) NOT NULL,
  uri varchar(400) NOT NULL,
  req_envelope text NOT NULL,
  req_timestamp timestamp NOT NULL
);

CREATE TABLE response (
  res_id bigint PRIMARY KEY,
  req_id bigint CONSTRAINT fk_response_request REFERENCES request,
  res_envelope text,
  failed_reason text,
  res_timestamp timestamp,
  failed boolean NOT NULL DEFAULT false,
  msg_id bigint
);
