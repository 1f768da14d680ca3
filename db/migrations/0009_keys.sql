-- Auth tokens get an id that is no secret, and scopes; API keys decide how long their user tokens live.

alter table auth_tokens
  add column auth_token_id uuid not null default gen_random_uuid(),
  add column scopes text[] not null default '{read,write,admin}'
    constraint auth_tokens__scopes check (scopes <@ '{read,write,admin}' and cardinality(scopes) > 0),
  add constraint auth_tokens__auth_token_id__key unique (api_key_id, auth_token_id);

alter table api_keys
  add column user_token_lifetime_seconds int not null default 172800
    constraint api_keys__user_token_lifetime_seconds check (user_token_lifetime_seconds > 0);
