-- What is told before it happens, and what is told by e-mail.

-- How long before its end a grant gets its event; 0: it gets none.
alter table api_keys
  add column expiring_soon_seconds int not null default 0
    constraint api_keys__expiring_soon_seconds check (expiring_soon_seconds >= 0);

-- When the event that a grant is about to end is due; writing it takes the time away, granting anew sets it anew.
alter table grants add column expiring_at timestamptz;
create index grants__expiring_at__idx on grants (expiring_at, organization_key, resource_key, user_id)
  where expiring_at is not null;

-- Mails that events have asked for. The row is the truth; the queue's job only carries its id. What a mail says is read
-- when it is sent, from the events (stream, sequences) that it tells of; it is about one stream and for one person: a
-- user, or the owner of the key (user_id is null).
create table mails (
  mail_id uuid primary key default gen_random_uuid(),
  api_key_id text collate "C" not null references api_keys on delete cascade,
  kind text not null,
  carrier text not null constraint mails__carrier check (carrier in ('smtp', 'sendgrid')),
  user_id text collate "C",
  recipient text not null,
  stream uuid not null,
  sequences bigint[] not null,
  state text not null default 'pending' constraint mails__state check (state in ('pending', 'sent', 'failed')),
  error text,
  created_at timestamptz not null default clock_timestamp(),
  taken_at timestamptz,
  lease_until timestamptz not null,
  finished_at timestamptz,
  constraint mails__finished_at check ((state = 'pending') = (finished_at is null))
);
-- Until a mail is taken to be sent, further events of its kind are told in it.
create unique index mails__open__key on mails (api_key_id, kind, stream, user_id) nulls not distinct where taken_at is null;
-- What a key or a user of it leaves behind when it is deleted.
create index mails__user_id__idx on mails (api_key_id, user_id);
-- The sweep that finds what nobody works on, and the one that removes what is long done.
create index mails__lease_until__idx on mails (carrier, lease_until) where finished_at is null;
create index mails__finished_at__idx on mails (finished_at) where finished_at is not null;

-- From now on: keys that already send mail begin with what happens next.
insert into event_followers (consumer, api_key_id, seen)
select 'mail', api_key_id, pg_current_snapshot() from api_keys where use_email_service;
