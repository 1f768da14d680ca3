-- Organizations with their folders and documents. Every table of an organization has organization_key first in its
-- primary key, unique constraints, indexes and foreign keys: isolation is a property of the keys.

create type resource_kind as enum ('organization', 'folder', 'document');

-- added_at is null while the row exists only to be locked: nobody has added or granted anything in it yet.
-- event_count changes with every change of the organization; no index touches it, so those updates stay on the page.
create table organizations (
  organization_key uuid primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  organization_id text collate "C" not null,
  name text,
  metadata jsonb not null default '{}',
  disabled boolean not null default false,
  event_count bigint not null default 0,
  added_at timestamptz,
  constraint organizations__organization_id__key unique (api_key_id, organization_id)
) with (fillfactor = 50);

-- One row for the organization itself, each folder and each document, so that grants have one real foreign key.
-- added_at is null while a folder or document is only declared: a grant has mentioned it (rules/data.md#declared).
-- Organizations and folders carry their path (organization first, itself last) and their boundary: the position in the
-- path, the key and the own access type of the nearest resource that has one; null type = the API key's default.
create table resources (
  organization_key uuid not null references organizations on delete cascade,
  resource_key uuid not null,
  kind resource_kind not null,
  id text collate "C" not null,
  folder_key uuid,
  own_access_type access_type,
  disabled boolean not null default false,
  name text,
  metadata jsonb not null default '{}',
  added_at timestamptz,
  path uuid[],
  boundary_depth int,
  boundary_key uuid,
  boundary_access_type access_type,
  primary key (organization_key, resource_key),
  constraint resources__id__key unique (organization_key, kind, id),
  constraint resources__folder_key__fkey foreign key (organization_key, folder_key) references resources,
  constraint resources__path check ((kind = 'document') = (path is null)),
  constraint resources__boundary check ((path is null) = (boundary_depth is null) and (path is null) = (boundary_key is null))
);
create index resources__folder_key__idx on resources (organization_key, folder_key, kind, id);

-- Where a migrated document went: the old id, until it is added anew or migrated back to.
create table document_aliases (
  organization_key uuid not null,
  document_id text collate "C" not null,
  resource_key uuid not null,
  primary key (organization_key, document_id),
  constraint document_aliases__resource_key__fkey
    foreign key (organization_key, resource_key) references resources on delete cascade
);
create index document_aliases__resource_key__idx on document_aliases (organization_key, resource_key);
