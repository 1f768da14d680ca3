-- An event of a thread or comment can have two messages to one endpoint: its own, and that of the contract, an act.
alter table webhook_deliveries add column is_act boolean not null default false;
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add constraint webhook_deliveries_pkey primary key (endpoint_key, stream, sequence, is_act);
alter table webhook_attempts add column is_act boolean not null default false;
