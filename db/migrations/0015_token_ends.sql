-- Ending user tokens before their time: those of a user, and those that a key pair has signed.

-- Tokens carry this moment of their user and are valid while it is the same. Revoking moves it on; whoever is erased and
-- comes back has another one. The first default fills the rows that are there without rewriting them.
alter table users add column tokens_since timestamptz not null default date_trunc('milliseconds', now());
alter table users alter column tokens_since set default date_trunc('milliseconds', clock_timestamp());

-- Only the pair that signs has a private half.
alter table signing_keys alter column private_key_sealed drop not null;
update signing_keys set private_key_sealed = null where retired_at is not null;
alter table signing_keys
  add constraint signing_keys__private_key_sealed check ((retired_at is null) = (private_key_sealed is not null));
