-- The schema of 0.2: every table, grouped by subject. Each table is followed by its indexes and its planner settings.
--
-- Three rules hold for all tables:
--
-- * A table of an organization has organization_key as the first column of its primary key, unique constraints, foreign
--   keys and indexes. Isolation is a property of the keys (ADR 0004).
-- * Ids that callers choose collate "C": they compare byte by byte, so that pages keep their order on every server.
-- * n_distinct = 10 on the column that names the tenant. Few tenants are large and most are small, and one plan serves all
--   of them. By the average tenant, reading a whole organization looks as cheap as looking up one of its rows. The setting
--   makes the planner expect a large tenant, from the next analyze on (ADR 0011).
--
-- Secrets end in _sealed: they are encrypted with the master key. Hashes end in _hash.

create type access_type as enum ('public', 'organizationPrivate', 'restricted');
create type access_role as enum ('viewer', 'editor');
create type resource_kind as enum ('organization', 'folder', 'document');


-- THE INSTALLATION ----------------------------------------------------------------------------------------------------

-- Holds one row from the first start on: a known text sealed with the master key. A lost or wrong key is noticed at the
-- start, not when the first secret is needed.
create table installation (
  singleton boolean primary key default true constraint installation__singleton check (singleton),
  master_key_check bytea not null
);


-- WORKSPACES AND API KEYS ---------------------------------------------------------------------------------------------

-- A workspace is a customer of the installation.
create table workspaces (
  workspace_id text collate "C" primary key,
  name text not null,
  owner_id text not null,
  owner_email text not null,
  owner_name text not null,
  owner_avatar text not null,
  token_hash bytea not null,
  token_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp()
);
-- Lists the workspaces of an owner.
create index workspaces__owner_id__idx on workspaces (owner_id);

-- Each API key is an isolated data set. Its settings are columns of its row.
create table api_keys (
  api_key_id text collate "C" primary key,
  workspace_id text collate "C" not null references workspaces on delete cascade,
  type text not null constraint api_keys__type check (type in ('testing', 'production')),
  name text not null,
  owner_email text not null,
  plan jsonb not null default '{}',
  allowed_domains text[] not null default '{}',
  default_access_type access_type not null default 'public',
  require_known_resources boolean not null default false,
  use_email_service boolean not null default false,
  email_service_config jsonb not null default '{}',
  email_service_key_sealed bytea,
  use_webhook_service boolean not null default false,
  webhook_service_config jsonb not null default '{}',
  webhook_service_token_sealed bytea,
  disabled_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  user_token_lifetime_seconds int not null default 172800
    constraint api_keys__user_token_lifetime_seconds check (user_token_lifetime_seconds > 0),
  -- How long before it expires a grant gets its event; 0: it gets none.
  expiring_soon_seconds int not null default 0
    constraint api_keys__expiring_soon_seconds check (expiring_soon_seconds >= 0)
);
-- Lists the keys of a workspace in id order, and finds them when the workspace is deleted.
create index api_keys__workspace_id__idx on api_keys (workspace_id, api_key_id);

-- The secrets that callers send with an API key. A request knows the hash; auth_token_id names a token without giving it
-- away.
create table auth_tokens (
  token_hash bytea primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  name text not null,
  token_sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  auth_token_id uuid not null default gen_random_uuid(),
  scopes text[] not null default '{read,write,admin}'
    constraint auth_tokens__scopes check (scopes <@ '{read,write,admin}' and cardinality(scopes) > 0),
  constraint auth_tokens__auth_token_id__key unique (api_key_id, auth_token_id)
);
-- Lists the tokens of a key, oldest first.
create index auth_tokens__api_key_id__idx on auth_tokens (api_key_id, created_at);

-- Key pairs that sign user tokens. A retired pair has no private half: it no longer signs, but still verifies what it has
-- signed.
create table signing_keys (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  kid text collate "C" not null,
  public_jwk jsonb not null,
  private_key_sealed bytea,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  primary key (api_key_id, kid),
  constraint signing_keys__private_key_sealed check ((retired_at is null) = (private_key_sealed is not null))
);

-- Sign-ins at the console (ADR 0025). A session is known by the hash of its cookie. It holds the hash of the credentials
-- that it was exchanged for, which are looked up again with each request: no session outlives their revocation. It has no
-- foreign key for the same reason.
create table console_sessions (
  session_hash bytea primary key,
  workspace_id text,
  api_key_id text,
  token_hash bytea not null,
  expires_at timestamptz not null,
  check (num_nonnulls(workspace_id, api_key_id) = 1)
);
-- The sweep that deletes expired sessions.
create index console_sessions__expires_at__idx on console_sessions (expires_at);

-- Responses to calls that were made with an Idempotency-Key, for repeats of them. The caller is an API key or a workspace;
-- the responses are deleted with it.
create table idempotency_keys (
  api_key_id text collate "C" references api_keys on delete cascade,
  workspace_id text collate "C" references workspaces on delete cascade,
  caller text collate "C" not null generated always as (coalesce(api_key_id, workspace_id)) stored,
  key text collate "C" not null,
  answer_sealed bytea not null,
  expires_at timestamptz not null,
  primary key (caller, key),
  constraint idempotency_keys__caller check (num_nonnulls(api_key_id, workspace_id) = 1)
);
-- These two find the responses of a deleted caller.
create index idempotency_keys__api_key_id__idx on idempotency_keys (api_key_id) where api_key_id is not null;
create index idempotency_keys__workspace_id__idx on idempotency_keys (workspace_id) where workspace_id is not null;
-- The sweep that deletes expired responses.
create index idempotency_keys__expires_at__idx on idempotency_keys (expires_at);


-- USERS OF AN API KEY -------------------------------------------------------------------------------------------------

-- Profiles: one for each user of an API key, shared by all its organizations. Membership is a grant, not a row here.
create table users (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  user_id text collate "C" not null,
  profile jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  -- User tokens carry this moment and are valid while it is unchanged. Revoking them sets a later one; a user who is erased
  -- and added again gets a new one (ADR 0012).
  tokens_since timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (api_key_id, user_id)
);
alter table users alter column api_key_id set (n_distinct = 10);


-- ORGANIZATIONS, FOLDERS AND DOCUMENTS --------------------------------------------------------------------------------

-- organization_key is a hash of api_key_id and organization_id, so the primary key keeps the pair unique. A second unique
-- constraint would fail one of two calls that create the same organization concurrently: `on conflict` handles only one.
-- added_at is null while the row exists only to be locked: nothing has been added or granted in the organization yet.
-- event_count and event_tick change with every change of the organization. No index covers them, so that those updates
-- stay on the page, for which fillfactor leaves space.
create table organizations (
  organization_key uuid primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  organization_id text collate "C" not null,
  name text,
  metadata jsonb not null default '{}',
  disabled boolean not null default false,
  event_count bigint not null default 0,
  added_at timestamptz,
  -- The tick of the last event (see events).
  event_tick bigint not null default 0
) with (fillfactor = 50);
-- Lists the organizations of a key in id order, and finds them when the key is deleted.
create index organizations__organization_id__idx on organizations (api_key_id, organization_id);
alter table organizations alter column api_key_id set (n_distinct = 10);

-- One row for the organization itself, each folder and each document, so that grants have one real foreign key.
-- added_at is null while a folder or document is only declared: a grant has mentioned it.
-- Organizations and folders have a path (the organization first, the resource itself last) and a boundary: the nearest
-- resource on the path that has an access type of its own, as depth, key and type. A null type stands for the default of
-- the API key.
-- folder_key has no foreign key: folders are added and deleted under the lock of their organization, so nothing can be left
-- without its folder. The constraint took more than half of the time of deleting documents (ADR 0011).
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
  -- When a folder was last changed; null: not since it was added.
  updated_at timestamptz,
  primary key (organization_key, resource_key),
  constraint resources__id__key unique (organization_key, kind, id),
  constraint resources__path check ((kind = 'document') = (path is null)),
  constraint resources__boundary check ((path is null) = (boundary_depth is null) and (path is null) = (boundary_key is null))
);
-- Lists the folders or documents of a folder in id order.
create index resources__folder_key__idx on resources (organization_key, folder_key, kind, id);
-- Subtrees by range: uuid[] compares element by element, so everything below P lies between P and P followed by the
-- greatest uuid. Documents have no path.
create index resources__path__idx on resources (organization_key, path) where path is not null;
-- The next four serve lists of access, which go by resource_key because it never changes (ADR 0014). First the documents
-- of one folder that inherit its access; at the top, the folder is the organization.
create index resources__place__idx on resources (organization_key, coalesce(folder_key, organization_key), resource_key)
 where kind = 'document' and own_access_type is null;
-- Folders and documents with an access type of their own.
create index resources__own_access_type__idx on resources (organization_key, own_access_type, kind, resource_key)
 where own_access_type is not null;
-- The subtree of a folder that shares its boundary, by range as in resources__path__idx.
create index resources__boundary_key__idx on resources (organization_key, boundary_key, path) where path is not null;
-- The folders of an organization.
create index resources__folders__idx on resources (organization_key, resource_key) where path is not null;
alter table resources alter column organization_key set (n_distinct = 10);

-- The old id of a migrated document, until a document is added under that id or migrated back to it.
create table document_aliases (
  organization_key uuid not null,
  document_id text collate "C" not null,
  resource_key uuid not null,
  primary key (organization_key, document_id),
  constraint document_aliases__resource_key__fkey
    foreign key (organization_key, resource_key) references resources on delete cascade
);
-- Finds the aliases of a document that is deleted.
create index document_aliases__resource_key__idx on document_aliases (organization_key, resource_key);
alter table document_aliases alter column organization_key set (n_distinct = 10);


-- GRANTS AND USER GROUPS ----------------------------------------------------------------------------------------------

-- Who may do what: at most one grant for each user and resource.
create table grants (
  organization_key uuid not null,
  resource_key uuid not null,
  user_id text collate "C" not null,
  kind resource_kind not null,
  role access_role not null,
  expires_at timestamptz,
  -- When the event of its expiry was written; a new grant clears it (ADR 0013).
  expiry_event_at timestamptz,
  -- When the event that it is about to expire is due; writing that event clears it, a new grant sets it again.
  expiring_at timestamptz,
  primary key (organization_key, resource_key, user_id),
  constraint grants__resource_key__fkey
    foreign key (organization_key, resource_key) references resources on delete cascade
);
-- The grants of a user in an organization: decisions, lists of access, erasure.
create index grants__user_id__idx on grants (organization_key, user_id, kind, resource_key);
-- Sweeps read due grants of all organizations by time: those that wait for the event of their expiry, those that had it
-- long ago, and those that are about to expire. Permanent grants are in none of the three.
create index grants__expires_at__idx on grants (expires_at, organization_key, resource_key, user_id)
  where expires_at is not null and expiry_event_at is null;
create index grants__expiry_event_at__idx on grants (expiry_event_at, organization_key, resource_key, user_id)
  where expiry_event_at is not null;
create index grants__expiring_at__idx on grants (expiring_at, organization_key, resource_key, user_id)
  where expiring_at is not null;
alter table grants alter column organization_key set (n_distinct = 10);

-- Named sets of the members of an organization. They hold no grants, they select users.
create table user_groups (
  organization_key uuid not null references organizations on delete cascade,
  group_id text collate "C" not null,
  name text,
  primary key (organization_key, group_id)
);
alter table user_groups alter column organization_key set (n_distinct = 10);

-- The users of a group. A user counts as a member only with a live grant on the organization, which every read checks.
create table user_group_members (
  organization_key uuid not null,
  group_id text collate "C" not null,
  user_id text collate "C" not null,
  primary key (organization_key, group_id, user_id),
  constraint user_group_members__group_id__fkey
    foreign key (organization_key, group_id) references user_groups on delete cascade
);
-- The groups of a user: reading them, and removing the user from them.
create index user_group_members__user_id__idx on user_group_members (organization_key, user_id, group_id);
alter table user_group_members alter column organization_key set (n_distinct = 10);


-- EVENTS --------------------------------------------------------------------------------------------------------------

-- The audit log, the webhook outbox and the change feed in one table. stream is an organization_key, or a key made of a
-- workspace or API key id for what happens outside organizations. sequence has no gaps within a stream.
-- written_by and tick give all events of an API key one order, which a reader can follow without missing an event (ADR
-- 0018). written_by is the transaction that wrote the event. tick is a Lamport clock: the order by tick keeps the order
-- within each stream.
create table events (
  stream uuid not null,
  sequence bigint not null,
  type text not null,
  workspace_id text collate "C",
  api_key_id text collate "C",
  organization_id text collate "C",
  resource_kind resource_kind,
  resource_id text collate "C",
  user_id text collate "C",
  actor jsonb not null,
  before jsonb,
  after jsonb,
  changed_at timestamptz not null default clock_timestamp(),
  written_by xid8 not null default pg_current_xact_id(),
  tick bigint not null,
  primary key (stream, sequence)
);
-- The feed of an API key, in the order that all readers follow.
create index events__tick__idx on events (api_key_id, tick, stream, sequence);
-- The history of a resource.
create index events__resource_id__idx on events (stream, resource_kind, resource_id, sequence) where resource_id is not null;
-- What a stream knows of a user, to show and to erase it.
create index events__user_id__idx on events (stream, user_id, sequence) where user_id is not null;
-- The history of a user in all organizations.
create index events__user_tick__idx on events (api_key_id, user_id, tick, stream, sequence) where user_id is not null;
alter table events alter column stream set (n_distinct = 10);

-- The counters of the streams that are not organizations; an organization has its own in its row.
create table event_streams (
  stream uuid primary key,
  event_count bigint not null,
  event_tick bigint not null default 0
) with (fillfactor = 50);

-- How far a consumer has read the events of an API key: all that the snapshot `seen` sees and, of what `until` sees beyond
-- that, everything up to the cursor (tick, stream, sequence). Without a cursor, nothing beyond `seen`.
create table event_followers (
  consumer text not null,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  seen pg_snapshot not null,
  until pg_snapshot,
  tick bigint,
  stream uuid,
  sequence bigint,
  primary key (consumer, api_key_id),
  constraint event_followers__place check (num_nulls(until, tick, stream, sequence) in (0, 4))
);
-- Finds the followers of a key that is deleted.
create index event_followers__api_key_id__idx on event_followers (api_key_id);


-- JOBS ----------------------------------------------------------------------------------------------------------------
-- A job is a row that is not finished. It waits for due_at; a worker that claims it moves due_at on by a lease, so that it is
-- due again when the worker dies (ADR 0029). claimed_at is null while nobody works on it. claims counts the claims: it
-- spaces the retries, and distinguishes the current worker from one whose lease has expired.

-- Jobs that give a document another id.
create table document_migrations (
  organization_key uuid not null references organizations on delete cascade,
  migration_id uuid not null,
  document_id text collate "C" not null,
  new_document_id text collate "C" not null,
  status text not null default 'pending'
    constraint document_migrations__status check (status in ('pending', 'in_progress', 'completed', 'failed')),
  failure_reason text,
  actor jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  due_at timestamptz not null default clock_timestamp(),
  claimed_at timestamptz,
  claims int not null default 0,
  primary key (organization_key, migration_id)
);
-- The jobs that are due.
create index document_migrations__due_at__idx on document_migrations (due_at) where finished_at is null;
-- Lists of migrations, one index for each filter: a page costs its length, whatever the filter.
create index document_migrations__created_at__idx on document_migrations (organization_key, created_at, migration_id);
create index document_migrations__status__idx on document_migrations (organization_key, status, created_at, migration_id);
create index document_migrations__document_id__idx
  on document_migrations (organization_key, document_id, created_at, migration_id);
create index document_migrations__new_document_id__idx
  on document_migrations (organization_key, new_document_id, created_at, migration_id);
alter table document_migrations alter column organization_key set (n_distinct = 10);

-- Jobs that erase users (ADR 0010). user_ids, organization_ids and salt are personal data or lead to it: they are deleted
-- when the job is finished. passed_organization_id is the last organization, in id order, that the job has finished.
create table user_data_deletions (
  api_key_id text collate "C" not null references api_keys on delete cascade,
  job_id uuid not null,
  user_ids text[] collate "C" not null,
  organization_ids text[] collate "C",
  salt uuid,
  actor jsonb not null,
  tasks_count int not null,
  tasks_done int not null default 0,
  passed_organization_id text collate "C" not null default '',
  created_at timestamptz not null default clock_timestamp(),
  last_task_completed_at timestamptz,
  finished_at timestamptz,
  due_at timestamptz not null default clock_timestamp(),
  claimed_at timestamptz,
  claims int not null default 0,
  primary key (api_key_id, job_id),
  constraint user_data_deletions__forgotten
    check (finished_at is null or (salt is null and user_ids = '{}' and organization_ids is null))
);
-- The jobs that are due.
create index user_data_deletions__due_at__idx on user_data_deletions (due_at) where finished_at is null;


-- MAIL ----------------------------------------------------------------------------------------------------------------

-- Mails that events have caused. A mail is about one stream and for one person: a user, or the owner of the API key
-- (user_id is null). Its text is made when it is sent, from the events (stream, sequences) that it reports. A job like those
-- above.
create table mails (
  mail_id uuid primary key default gen_random_uuid(),
  api_key_id text collate "C" not null references api_keys on delete cascade,
  kind text not null,
  carrier text not null constraint mails__carrier check (carrier in ('smtp', 'sendgrid')),
  user_id text collate "C",
  recipient text not null,
  stream uuid not null,
  sequences bigint[] not null,
  state text not null default 'pending' constraint mails__state check (state in ('pending', 'sent', 'failed')),
  error text,
  created_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  claimed_at timestamptz,
  claims int not null default 0,
  finished_at timestamptz,
  constraint mails__finished_at check ((state = 'pending') = (finished_at is null))
);
-- Until a worker claims a mail to send it, further events of its kind are added to it instead of to a new one.
create unique index mails__open__key on mails (api_key_id, kind, stream, user_id) nulls not distinct where claims = 0;
-- The mails of a key or of one of its users, when either is deleted.
create index mails__user_id__idx on mails (api_key_id, user_id);
-- The mails that are due, and the sweep that deletes mails that were finished long ago.
create index mails__due_at__idx on mails (carrier, due_at) where finished_at is null;
create index mails__finished_at__idx on mails (finished_at) where finished_at is not null;


-- WEBHOOKS ------------------------------------------------------------------------------------------------------------
-- Where the events of an API key are sent, what waits to be sent, and the result of each attempt. A message is an event:
-- its id is made of stream and sequence, its body of the row (ADR 0019).

-- Settings of all signed endpoints of an API key together.
create table webhook_settings (
  api_key_id text collate "C" primary key references api_keys on delete cascade,
  is_enabled boolean not null,
  encode_data boolean not null,
  encrypt_data boolean not null,
  public_key text not null
);

-- Signed endpoints, and the two URLs of webhook_service_config as endpoints of their own kinds.
create table webhook_endpoints (
  endpoint_key bigint generated always as identity primary key,
  api_key_id text collate "C" not null references api_keys on delete cascade,
  endpoint_id text collate "C" not null,
  kind text not null constraint webhook_endpoints__kind check (kind in ('raw', 'processed', 'signed')),
  url text not null,
  description text,
  filter_types text[],
  channels text[],
  rate_limit int,
  uid text collate "C",
  metadata jsonb not null default '{}',
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  disabled boolean not null default false,
  -- The endpoint is not disabled, and the service that it belongs to is switched on.
  active boolean not null,
  -- It receives the events since then.
  active_since timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- Every attempt since then has failed.
  failing_since timestamptz,
  -- Nothing is sent before this time, because of its rate limit or because it asked for the pause.
  paced_until timestamptz,
  -- At or before the time when the first waiting delivery is due; null: nothing waits.
  due_at timestamptz,
  constraint webhook_endpoints__endpoint_id__key unique (api_key_id, endpoint_id)
) with (fillfactor = 50);
-- A uid, where the caller gave one, names one endpoint of the key.
create unique index webhook_endpoints__uid__key on webhook_endpoints (api_key_id, uid) where uid is not null;
-- Senders take the endpoints that are due, healthy ones and failing ones apart: failing ones cannot hold up the others.
create index webhook_endpoints__due_at__idx on webhook_endpoints ((failing_since is null), due_at) where due_at is not null;
alter table webhook_endpoints alter column api_key_id set (n_distinct = 10);

-- Deliveries that wait; a row is deleted when its message was delivered or given up. A sender that takes one sets due_at
-- to when the attempt must be over.
create table webhook_deliveries (
  endpoint_key bigint not null references webhook_endpoints on delete cascade,
  stream uuid not null,
  sequence bigint not null,
  -- The order among those that are due at the same time.
  position bigint generated always as identity,
  attempts int not null default 0,
  -- Counts how often the row was taken or queued again: a sender that was overtaken finds another number.
  claims int not null default 0,
  due_at timestamptz not null,
  primary key (endpoint_key, stream, sequence)
) with (fillfactor = 70);
-- The next deliveries of an endpoint.
create index webhook_deliveries__due_at__idx on webhook_deliveries (endpoint_key, due_at, position);
alter table webhook_deliveries alter column endpoint_key set (n_distinct = 10);

-- The result of each attempt, kept for a while to be read.
create table webhook_attempts (
  attempt_key bigint generated always as identity primary key,
  endpoint_key bigint not null references webhook_endpoints on delete cascade,
  stream uuid not null,
  sequence bigint not null,
  event_type text not null,
  attempt int not null,
  attempted_at timestamptz not null,
  http_status int,
  error text,
  duration_ms int not null,
  excerpt text not null,
  next_attempt_at timestamptz
);
-- Lists the attempts of an endpoint.
create index webhook_attempts__endpoint_key__idx on webhook_attempts (endpoint_key, attempt_key);
-- Lists the attempts of one message.
create index webhook_attempts__message__idx on webhook_attempts (endpoint_key, stream, sequence, attempt_key);
alter table webhook_attempts alter column endpoint_key set (n_distinct = 10);
