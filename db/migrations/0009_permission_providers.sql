-- Permission providers (ADR 0040): services of customers that are asked before a user token is denied. Servers of earlier versions
-- insert keys without these columns.
alter table api_keys add column use_permission_provider boolean not null default false;
alter table api_keys add column permission_provider_config jsonb not null default '{}';
alter table api_keys add column permission_provider_token_sealed bytea;
-- Signs the answers of the provider. It is created when it is first needed.
alter table api_keys add column signature_secret_sealed bytea;
-- Whether a user who signs in for an organization becomes a member of it.
alter table api_keys add column require_auto_org_user boolean not null default false;

-- The API key whose permission provider gave the temporary grant of the row; null: somebody else gave it, or there is none. It has
-- no meaning without a temporary grant: servers of earlier versions end one and leave this as it is.
alter table grants add column provided_by text collate "C";
-- Finds what a provider gave a user, who signs out, in all organizations of the key.
create index grants__provided_by__idx on grants (provided_by, principal, organization_key, resource_key) where provided_by is not null;
