-- The primaries that Commonhold has worked with (ADR 0063). The copies of this table on two servers tell which of them was adopted later.
create table database_epochs (
  epoch int primary key,
  adoption_id uuid not null default gen_random_uuid(),
  -- Null where a service does not reveal them.
  system_identifier text,
  timeline int,
  -- Up to this position, the log of the primary is that of the primary before; null: unknown.
  forked_at pg_lsn,
  adopted_at timestamptz not null default clock_timestamp(),
  -- Of a former primary: the later timeline that a Commonhold server has seen.
  superseded_by int
);
