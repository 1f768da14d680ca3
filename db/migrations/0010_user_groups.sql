-- User groups: named sets of the members of an organization. They hold no grants, they select users.

create table user_groups (
  organization_key uuid not null references organizations on delete cascade,
  group_id text collate "C" not null,
  name text,
  primary key (organization_key, group_id)
);

-- Who was put into a group. Only those count whose grant on the organization is live: every read looks for it.
create table user_group_members (
  organization_key uuid not null,
  group_id text collate "C" not null,
  user_id text collate "C" not null,
  primary key (organization_key, group_id, user_id),
  constraint user_group_members__group_id__fkey
    foreign key (organization_key, group_id) references user_groups on delete cascade
);
create index user_group_members__user_id__idx on user_group_members (organization_key, user_id, group_id);
