-- Invitations of people by their e-mail addresses. They refer to resource_key, like grants, so a migration of a document changes none
-- of them, and none outlives its resource. `address` is the e-mail address as it is compared. `invitee` is the address behind the control
-- character U+0002, which no user id contains, until the invitation is accepted: then it is the id of the user. `inviter` is
-- likewise the user or the address that invited_by names.
create table invitations (
  organization_key uuid not null references organizations on delete cascade,
  invitation_id uuid not null default gen_random_uuid(),
  resource_key uuid not null,
  kind resource_kind not null,
  invitee text collate "C" not null,
  address text collate "C" not null,
  email text not null,
  status text not null default 'PENDING',
  access_role access_role,
  organization_name text,
  folder_name text,
  document_name text,
  inviter text collate "C",
  invited_by jsonb,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (organization_key, invitation_id),
  constraint invitations__resource_key__fkey foreign key (organization_key, resource_key) references resources on delete cascade,
  constraint invitations__status check (status in ('PENDING', 'ACCEPTED', 'REJECTED', 'WITHDRAWN')),
  constraint invitations__invitee check ((status = 'ACCEPTED') = not starts_with(invitee, chr(2))),
  constraint invitations__inviter check (inviter is null or invited_by is not null)
);
alter table invitations alter column organization_key set (n_distinct = 10);
create index invitations__created_at__idx on invitations (organization_key, created_at, invitation_id);
-- Each of these is partial on a column that a statement must name to use it: otherwise the planner, which estimates that all indexes
-- of a small table read equally few rows, uses one of them to read the invitations of a whole organization.
create index invitations__address__idx on invitations (organization_key, address, created_at, invitation_id)
  where address is not null;
create index invitations__invitee__idx on invitations (organization_key, invitee, invitation_id) where invitee is not null;
create index invitations__inviter__idx on invitations (organization_key, inviter, invitation_id) where inviter is not null;
create index invitations__resource_key__idx on invitations (organization_key, resource_key, address)
  where resource_key is not null;
-- At most one pending invitation of a person to a resource.
create unique index invitations__pending__key on invitations (organization_key, resource_key, address) where status = 'PENDING';
