-- Who may do what: at most one grant for each user and resource.

create type access_role as enum ('viewer', 'editor');

create table grants (
  organization_key uuid not null,
  resource_key uuid not null,
  user_id text collate "C" not null,
  kind resource_kind not null,
  role access_role not null,
  expires_at timestamptz,
  primary key (organization_key, resource_key, user_id),
  constraint grants__resource_key__fkey
    foreign key (organization_key, resource_key) references resources on delete cascade
);
create index grants__user_id__idx on grants (organization_key, user_id, kind, resource_key);
