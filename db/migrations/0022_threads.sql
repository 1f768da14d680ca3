-- Threads of comments on documents (rules/comments.md#threads). They refer to resource_key, like grants, so a migration, a move or a
-- new name of a document changes none of them, and none outlives its document. `content` is what the caller stored; the generated
-- columns are the parts of it that statements filter and decide by, so that they cannot disagree with it.

-- The texts of a jsonb array; no texts if it is null.
create function json_texts(list jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce((select array_agg(item) from jsonb_array_elements_text(list) as item), '{}')
$$;

create table threads (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  created_at timestamptz not null,
  last_updated timestamptz not null,
  content jsonb not null,
  author_id text not null generated always as (content -> 'from' ->> 'userId') stored,
  status_id text not null generated always as (content -> 'status' ->> 'id') stored,
  status_type text not null generated always as (content -> 'status' ->> 'type') stored,
  location_id text generated always as (content -> 'location' ->> 'id') stored,
  assigned_to text generated always as (content -> 'assignedTo' ->> 'userId') stored,
  resolved_by text generated always as (content ->> 'resolvedByUserId') stored,
  -- Who sees the thread (rules/comments.md#visibility).
  visibility text not null generated always as (content -> 'visibility' ->> 'type') stored,
  visibility_user_ids text[] not null generated always as (json_texts(content -> 'visibility' -> 'userIds')) stored,
  visibility_organization_keys uuid[] not null
    generated always as (json_texts(content -> 'visibility' -> 'organizationKeys')::uuid[]) stored,
  access_context jsonb generated always as (content -> 'context' -> 'access') stored,
  agent_id text generated always as (content -> 'agent' ->> 'agentId') stored,
  agent_execution_id text generated always as (content -> 'agent' ->> 'executionId') stored,
  agent_url text generated always as (content -> 'agent' ->> 'url') stored,
  suggestion_status text generated always as (content -> 'suggestion' ->> 'status') stored,
  -- Of all its comments.
  mentioned_user_ids text[] not null default '{}',
  -- Comments that were ever written, so no position is used twice; and the position of the last one that is there.
  comments_written integer not null,
  last_position integer not null,
  comment_count integer not null,
  -- The size of content and of all comments: a page ends by it before any comment is read.
  bytes integer not null,
  primary key (organization_key, resource_key, annotation_id),
  constraint threads__resource_key__fkey foreign key (organization_key, resource_key) references resources on delete cascade,
  constraint threads__visibility check (visibility in ('public', 'organizationPrivate', 'restricted'))
);
alter table threads alter column organization_key set (n_distinct = 10);
create index threads__of_document__idx on threads (organization_key, resource_key, last_updated, annotation_id);
create index threads__of_organization__idx on threads (organization_key, last_updated, annotation_id, resource_key);
-- Partial on a column that a statement must name to use it: otherwise the planner reads the threads of a whole organization by it
-- while the table is small.
create index threads__annotation_id__idx on threads (organization_key, annotation_id) where annotation_id is not null;

create table thread_comments (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  comment_id bigint not null,
  -- The order in which the comments of a thread were written, from 1.
  position integer not null,
  created_at timestamptz not null,
  last_updated timestamptz not null,
  content jsonb not null,
  author_id text collate "C" not null generated always as (content -> 'from' ->> 'userId') stored,
  bytes integer not null,
  primary key (organization_key, resource_key, annotation_id, comment_id),
  constraint thread_comments__thread__fkey foreign key (organization_key, resource_key, annotation_id)
    references threads on delete cascade
);
alter table thread_comments alter column organization_key set (n_distinct = 10);
create index thread_comments__author_id__idx on thread_comments (organization_key, author_id, resource_key, annotation_id, comment_id);

-- What a thread has about a user: whether the user follows it, and which comments the user has seen. There is a row for everybody
-- whom the thread names, so an erasure finds all of it.
create table thread_users (
  organization_key uuid not null,
  resource_key uuid not null,
  annotation_id text collate "C" not null,
  user_id text collate "C" not null,
  subscription text,
  is_manual boolean not null default false,
  -- As the caller named the user, for reads of the subscribers.
  contact jsonb,
  -- The position of the last comment that the user has seen; 0: none.
  seen_through integer not null default 0,
  primary key (organization_key, resource_key, annotation_id, user_id),
  constraint thread_users__thread__fkey foreign key (organization_key, resource_key, annotation_id)
    references threads on delete cascade,
  constraint thread_users__subscription check (subscription in ('subscribed', 'unsubscribed'))
);
alter table thread_users alter column organization_key set (n_distinct = 10);
create index thread_users__user_id__idx on thread_users (organization_key, user_id, resource_key, annotation_id);
create trigger thread_users__erasures after insert on thread_users referencing new table as added
  for each statement execute function refuse_users_being_erased('user_id');
