-- Whether webhooks arrive, and where tokens come from.
alter table webhook_endpoints
  -- At most a second before the last delivery, so that an endpoint with much traffic is seldom written for it.
  add column last_success_at timestamptz,
  add column last_failure_at timestamptz,
  -- Null: there was no response; then the error says why.
  add column last_failure_status integer,
  add column last_failure_error text;

-- The log by outcome, latest first. Both outcomes together are the whole log, so no other index of it is needed.
create index webhook_attempts__outcome__idx
  on webhook_attempts (endpoint_key, (coalesce(http_status between 200 and 299, false)), attempt_key);
drop index webhook_attempts__endpoint_key__idx;

-- The messages that were tried and wait for their next attempt, newest first.
create index webhook_deliveries__retried__idx on webhook_deliveries (endpoint_key, position) where attempts > 0;

-- From the log, as far as it is kept.
update webhook_endpoints e
   set last_success_at = (
         select a.attempted_at from webhook_attempts a
          where a.endpoint_key = e.endpoint_key and coalesce(a.http_status between 200 and 299, false)
          order by a.attempt_key desc limit 1);
update webhook_endpoints e
   set last_failure_at = f.attempted_at, last_failure_status = f.http_status, last_failure_error = f.error
  from webhook_endpoints named
 cross join lateral (
         select a.attempted_at, a.http_status, a.error from webhook_attempts a
          where a.endpoint_key = named.endpoint_key and not coalesce(a.http_status between 200 and 299, false)
          order by a.attempt_key desc limit 1) f
 where e.endpoint_key = named.endpoint_key;

alter table auth_tokens
  -- At most a minute before the last use, so that calls seldom write it.
  add column last_used_at timestamptz,
  -- How the token came about, and who made it. Null: it is older than this column.
  add column origin jsonb;

alter table workspace_tokens add column origin jsonb;

-- Finds the last mail of a key that was sent, and the last that was not. An expression, because an index that starts with a column of
-- few values is taken for statements that have better ones.
create index mails__outcome__idx on mails ((api_key_id || ' ' || state collate "C"), finished_at);
