-- One row from the first start on: a known text sealed with the master key, so that a lost or wrong key is noticed at
-- the start and not when the first secret is needed.
create table installation (
  singleton boolean primary key default true constraint installation__singleton check (singleton),
  master_key_check bytea not null
);
