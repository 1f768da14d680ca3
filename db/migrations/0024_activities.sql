-- Records of who did what on a document. They refer to resource_key, like grants, so a migration of a document changes none of them,
-- and none outlives its document. `content` is only stored and returned.
create table activities (
  organization_key uuid not null,
  activity_id text collate "C" not null,
  resource_key uuid not null,
  recorded_at timestamptz(3) not null default clock_timestamp(),
  feature_type text not null,
  action_type text not null,
  actor_id text collate "C" not null,
  target_entity_id text collate "C",
  target_sub_entity_id text,
  is_immutable boolean not null,
  content jsonb not null,
  primary key (organization_key, activity_id),
  constraint activities__resource_key__fkey foreign key (organization_key, resource_key) references resources on delete cascade
);
alter table activities alter column organization_key set (n_distinct = 10);
-- Each of these is partial on a column that a statement must name to use it, like the indexes of invitations.
create index activities__recorded_at__idx on activities (organization_key, recorded_at, activity_id) where recorded_at is not null;
create index activities__resource_key__idx on activities (organization_key, resource_key, recorded_at, activity_id)
  where resource_key is not null;
create index activities__actor_id__idx on activities (organization_key, actor_id, recorded_at, activity_id)
  where actor_id is not null;
create index activities__target_entity_id__idx on activities (organization_key, target_entity_id, recorded_at, activity_id)
  where target_entity_id is not null;
-- A call that overwrites an activity names its actor anew.
create trigger activities__erasures after insert on activities referencing new table as added
  for each statement execute function refuse_users_being_erased('actor_id');
create trigger activities__erasures_updated after update on activities referencing new table as added
  for each statement execute function refuse_users_being_erased('actor_id');
