-- The additions of OpenHub 2.x. Source: docs/contributing/spec/cleverbus.md, "Tables node and configuration_item".
CREATE SEQUENCE openhub_node_sequence;

CREATE TABLE configuration_item (
  code varchar(100) PRIMARY KEY,
  category_code varchar(100) NOT NULL,
  current_value varchar(1000),
  default_value varchar(1000),
  data_type varchar(20) NOT NULL,
  mandatory boolean NOT NULL DEFAULT true,
  description varchar(1000),
  validation varchar(100)
);
CREATE INDEX configuration_item_cat_code_idx ON configuration_item (category_code);

CREATE TABLE node (
  node_id bigint PRIMARY KEY,
  code varchar(64) NOT NULL UNIQUE,
  name varchar(256) NOT NULL UNIQUE,
  description varchar(2056),
  state varchar(64) NOT NULL
);
-- Both columns are unique twice.
ALTER TABLE node ADD CONSTRAINT uq_node_code UNIQUE (code), ADD CONSTRAINT uq_node_name UNIQUE (name);
CREATE INDEX node_code_idx ON node (code);

ALTER TABLE message
  ADD COLUMN node_id bigint CONSTRAINT fk_message_node REFERENCES node,
  ADD COLUMN start_in_queue_timestamp timestamp;
CREATE INDEX msg_node_id_idx ON message (node_id);
