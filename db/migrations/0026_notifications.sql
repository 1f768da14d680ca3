-- A notification is stored once, whoever its recipients are. Those who were named have a row each; with `notifies_all` every member of
-- the organization is also a recipient, decided when notifications are read, and has a row only once it was read (ADR 0055).
-- `content` is only stored and returned. Notifications of a comment name it, and are deleted with it.
create table notifications (
  organization_key uuid not null,
  notification_id text collate "C" not null,
  resource_key uuid not null,
  notified_at timestamptz(3) not null default clock_timestamp(),
  notification_source text not null,
  action_type text,
  actor_id text collate "C" not null,
  target_annotation_id text collate "C",
  target_comment_id bigint,
  location_id text collate "C",
  notifies_all boolean not null,
  requires_access boolean not null default false,
  content jsonb not null,
  primary key (organization_key, notification_id),
  constraint notifications__resource_key__fkey foreign key (organization_key, resource_key) references resources on delete cascade,
  constraint notifications__comment__fkey foreign key (organization_key, resource_key, target_annotation_id, target_comment_id)
    references thread_comments on delete cascade
);
alter table notifications alter column organization_key set (n_distinct = 10);
-- Each of these is partial on a column that a statement must name to use it, like the indexes of invitations.
create index notifications__resource_key__idx on notifications (organization_key, resource_key, notified_at, notification_id)
  where resource_key is not null;
create index notifications__to_all__idx on notifications (organization_key, notified_at, notification_id) where notifies_all;
create index notifications__actor_id__idx on notifications (organization_key, actor_id) where actor_id is not null;
create index notifications__location_id__idx on notifications (organization_key, location_id) where location_id is not null;
create index notifications__comment__idx on notifications (organization_key, resource_key, target_annotation_id, target_comment_id)
  where target_annotation_id is not null;

-- The state of a notification for one user. `is_named`: the notification names the user. `is_hidden`: it was read, and is listed no more.
create table notification_recipients (
  organization_key uuid not null,
  notification_id text collate "C" not null,
  user_id text collate "C" not null,
  notified_at timestamptz(3) not null,
  is_named boolean not null,
  email text,
  read_at timestamptz,
  is_hidden boolean not null default false,
  primary key (organization_key, user_id, notification_id),
  constraint notification_recipients__notification_id__fkey foreign key (organization_key, notification_id)
    references notifications on delete cascade,
  constraint notification_recipients__hidden check (not is_hidden or read_at is not null)
);
alter table notification_recipients alter column organization_key set (n_distinct = 10);
create index notification_recipients__notification_id__idx on notification_recipients (organization_key, notification_id, user_id);
-- Only the inbox says `is_named`: on a store that was never analyzed, this index would otherwise look as good as the key.
create index notification_recipients__inbox__idx on notification_recipients (organization_key, user_id, notified_at, notification_id)
  where is_named;

-- The levels of a user for each channel, for a document, or for the whole organization in the row of its own resource.
create table notification_preferences (
  organization_key uuid not null,
  resource_key uuid not null,
  user_id text collate "C" not null,
  channels jsonb not null,
  primary key (organization_key, resource_key, user_id),
  constraint notification_preferences__resource_key__fkey foreign key (organization_key, resource_key)
    references resources on delete cascade
);
alter table notification_preferences alter column organization_key set (n_distinct = 10);
create index notification_preferences__user_id__idx on notification_preferences (organization_key, user_id, resource_key)
  where user_id is not null;

create trigger notifications__erasures after insert on notifications referencing new table as added
  for each statement execute function refuse_users_being_erased('actor_id');
create trigger notifications__erasures_updated after update on notifications referencing new table as added
  for each statement execute function refuse_users_being_erased('actor_id');
create trigger notification_recipients__erasures after insert on notification_recipients referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
create trigger notification_preferences__erasures after insert on notification_preferences referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
