/** Every SQL text of the data of users: the jobs that erase it, what they do, and reading it. */
import type { ApiKeyId, OrganizationKey } from '#contract/ids.ts'
import type { AccessRole, ResourceType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { tablesWhere } from '#tenancy/tables.ts'

/** How long a worker may be silent before the sweep hands its job to another. */
const LEASE = `interval '10 seconds'`

/** Of a user in an organization the search counts no further, and of a stream so many events are erased at once. */
export const ROWS_MAX = 2_000

export const COUNT_ORGANIZATIONS = statement<{ count: number }>(
  'user-data.count-organizations',
  'select count(*)::int as count from organizations where api_key_id = $1',
)

/** Which of the named organizations of an API key are there. */
export const FIND_NAMED = setStatement<{ organizationKey: OrganizationKey }, { organizationId: string }>(
  'user-data.find-named',
  { organizationKey: 'uuid' },
  /* sql */ `
  select o.organization_id as "organizationId" from $input
    join organizations o on o.organization_key = item.organization_key and o.added_at is not null`,
)

/** `$3` the organizations, null for all; `$5` how many tasks that is. */
export const ADD_DELETION = statement<{ jobId: string }>(
  'user-data.add-deletion',
  /* sql */ `
  insert into user_data_deletions (api_key_id, job_id, user_ids, organization_ids, actor, tasks_count, salt, lease_until)
  values ($1, gen_random_uuid(), $2, $3, $4::jsonb, $5, gen_random_uuid(), clock_timestamp() + ${LEASE})
  returning job_id as "jobId"`,
)

export interface DeletionRow {
  userIds: string[]
  /** Null: all of the API key, and the profiles. */
  organizationIds: string[] | null
  /** The last organization that the job is done with; '' before the first. */
  passedOrganizationId: string
  salt: string
  actor: Actor
  workspaceId: string
}

/** A job that is not finished, held until the transaction ends: of two workers one waits, and goes on after the other. */
export const LOCK_DELETION = statement<DeletionRow>(
  'user-data.lock-deletion',
  /* sql */ `
  select d.user_ids as "userIds", d.organization_ids as "organizationIds", d.passed_organization_id as "passedOrganizationId",
         d.salt, d.actor, k.workspace_id as "workspaceId"
    from user_data_deletions d join api_keys k on k.api_key_id = d.api_key_id
   where d.api_key_id = $1 and d.job_id = $2 and d.finished_at is null for update of d`,
)

export interface KnowingRow {
  organizationKey: OrganizationKey
  organizationId: string
  /** The users that the organization knows, by grants, user groups or events. */
  userIds: string[]
  /** How many rows that is, of each user and kind at most `ROWS_MAX`. */
  rows: number
}

/** The tables in which an organization knows users by their ids, and those of them that an erasure empties. */
const KNOWING = tablesWhere(({ belongsTo, user }) => belongsTo === 'organization' && user !== undefined)
const HOLDING = tablesWhere(({ belongsTo, user }) => belongsTo === 'organization' && user === 'deleted')

const ROWS_OF_USER = KNOWING.map(
  (table) => /* sql */ `(select count(*) from (select from ${table} t
                                where t.${table === 'events' ? 'stream' : 'organization_key'} = o.organization_key
                                  and t.user_id = asked.user_id limit ${ROWS_MAX}) in_${table})`,
).join('\n                   + ')

/**
 * The next organizations of API key `$1` after id `$2`, in id order, at most `$4`, and which of the users `$3` each
 * knows: a probe of each index for each pair. Those that were deleted still know users by their events.
 */
const knowing = (which: string) => /* sql */ `
  with organization as materialized (
    select organization_key, organization_id from organizations
     where api_key_id = $1 and organization_id > $2 and ${which}
     order by organization_id limit $4::int
  )
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", known."userIds", known.rows
    from organization o cross join lateral (
      select coalesce(array_agg(held.user_id) filter (where held.rows > 0), '{}') as "userIds", sum(held.rows)::int as rows
        from (select asked.user_id,
                     ${ROWS_OF_USER} as rows
                from unnest($3::text[]) as asked (user_id)) held
    ) known
   order by o.organization_id`

export const FIND_KNOWING = statement<KnowingRow>('user-data.find-knowing', knowing('true'))

/** The same among the organizations `$5`. */
export const FIND_NAMED_KNOWING = statement<KnowingRow>(
  'user-data.find-named-knowing',
  knowing('organization_id = any($5::text[])'),
)

export interface RemovedUserRow {
  organizationKey: OrganizationKey
  userId: string
  pseudonym: string
  jobId: string
  actor: Actor
}

/** Takes users out of organizations, with one event for each that had something there. Runs under the lock of the organizations. */
export const REMOVE_USERS = setStatement<RemovedUserRow, never>(
  'user-data.remove-users',
  { organizationKey: 'uuid', userId: 'text', pseudonym: 'text', jobId: 'text', actor: 'jsonb' },
  /* sql */ `
  with item as materialized (select * from $input),
  ${HOLDING.map(
    (table) => /* sql */ `deleted_${table} as (
    delete from ${table} t using item
     where t.organization_key = item.organization_key and t.user_id = item.user_id
    returning t.organization_key, t.user_id
  ),`,
  ).join('\n  ')}
  had as (
    select organization_key, user_id, count(*) filter (where held = 'grants') as permissions,
           count(*) filter (where held = 'user_group_members') as user_groups
      from (${HOLDING.map((table) => `select *, '${table}' as held from deleted_${table}`).join('\n            union all ')}) gone
     group by organization_key, user_id
  ),
  event as (
    select item.organization_key, item.ord as position, 'user.removed' as type, null::resource_kind as resource_kind,
           null::text as resource_id, item.pseudonym as user_id, item.actor,
           jsonb_build_object('permissions', had.permissions, 'userGroups', had.user_groups) as before,
           jsonb_build_object('jobId', item.job_id) as after
      from item join had on had.organization_key = item.organization_key and had.user_id = item.user_id
  ),
  ${RECORD_EVENTS}
  select null where false`,
)

/** Events whose payload says nothing of the person: a role and its end, counts. Of any other event it is emptied. */
const KEPT = `(e.type like 'permission.%' or e.type = 'user.removed')`

/**
 * Gives the users of events pseudonyms and empties what the events say of them, at most `ROWS_MAX` at once. Answers how
 * many it erased. Number, time, type, actor and resource stay (ADR 0010).
 */
export const ERASE_EVENTS = setStatement<{ stream: string; userId: string; pseudonym: string }, { erased: number }>(
  'user-data.erase-events',
  { stream: 'uuid', userId: 'text', pseudonym: 'text' },
  /* sql */ `
  with item as materialized (select * from $input),
  page as materialized (
    select e.stream, e.sequence, item.pseudonym from item
     cross join lateral (select stream, sequence from events e where e.stream = item.stream and e.user_id = item.user_id
                          order by sequence limit ${ROWS_MAX}) e
     limit ${ROWS_MAX}
  ),
  erased as (
    update events e
       set user_id = page.pseudonym,
           before = case when ${KEPT} or e.before is null then e.before else '{}' end,
           after = case when ${KEPT} or e.after is null then e.after else '{}' end
      from page where e.stream = page.stream and e.sequence = page.sequence
    returning 1
  )
  select count(*)::int as erased from erased`,
)

/** Deletes profiles, locked in order of user id like every change of them; answers whose there were. */
export const DELETE_PROFILES = setStatement<{ apiKeyId: ApiKeyId; userId: string }, { userId: string }>(
  'user-data.delete-profiles',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
     order by u.api_key_id, u.user_id for update
  )
  delete from users u using held where u.api_key_id = held.api_key_id and u.user_id = held.user_id
  returning u.user_id as "userId"`,
)

/** Deletes the mails to users `$2` that tell of the streams `$3`, null: of any. By `ctid`, which the lock keeps. */
export const DELETE_MAILS = statement<never>(
  'user-data.delete-mails',
  /* sql */ `
  with found as materialized (
    select m.ctid from unnest($2::text[]) as asked (user_id)
     cross join lateral (
        select m.ctid from mails m
         where m.api_key_id = $1 and m.user_id = asked.user_id and ($3::uuid[] is null or m.stream = any($3::uuid[]))
         offset 0 for update
     ) m
  )
  delete from mails m using found where m.ctid = found.ctid`,
)

/** Notes that `$4` more organizations, up to id `$3`, are done with. */
export const PASS_ORGANIZATIONS = statement<never>(
  'user-data.pass-organizations',
  /* sql */ `
  update user_data_deletions
     set passed_organization_id = $3, tasks_done = tasks_done + $4::int, last_task_completed_at = clock_timestamp(),
         lease_until = clock_timestamp() + ${LEASE}
   where api_key_id = $1 and job_id = $2`,
)

/** Notes that the worker lives, in the middle of a task. */
export const RENEW_LEASE = statement<never>(
  'user-data.renew-lease',
  `update user_data_deletions set lease_until = clock_timestamp() + ${LEASE} where api_key_id = $1 and job_id = $2`,
)

/** The job is remembered; whom it erased is not. */
export const FINISH_DELETION = statement<never>(
  'user-data.finish-deletion',
  /* sql */ `
  update user_data_deletions
     set tasks_done = tasks_count, last_task_completed_at = clock_timestamp(), finished_at = clock_timestamp(),
         user_ids = '{}', organization_ids = null, salt = null, passed_organization_id = ''
   where api_key_id = $1 and job_id = $2`,
)

/** Jobs that nobody works on: their lease is over. They get a new lease and go to the caller; each to one of several processes. */
export const TAKE_ABANDONED_DELETIONS = statement<{ apiKeyId: ApiKeyId; jobId: string }>(
  'user-data.take-abandoned',
  /* sql */ `
  update user_data_deletions d set lease_until = clock_timestamp() + ${LEASE}
    from (select api_key_id, job_id from user_data_deletions
           where finished_at is null and lease_until < clock_timestamp()
           order by lease_until limit 100 for update skip locked) lost
   where d.api_key_id = lost.api_key_id and d.job_id = lost.job_id
  returning d.api_key_id as "apiKeyId", d.job_id as "jobId"`,
)

export interface DeletionStatusRow {
  tasksCount: number
  tasksDone: number
  createdAt: Date
  lastTaskCompletedAt: Date | null
  finishedAt: Date | null
}

export const GET_DELETION = statement<DeletionStatusRow>(
  'user-data-deletions.get',
  /* sql */ `
  select tasks_count as "tasksCount", tasks_done as "tasksDone", created_at as "createdAt",
         last_task_completed_at as "lastTaskCompletedAt", finished_at as "finishedAt"
    from user_data_deletions where api_key_id = $1 and job_id = $2::uuid`,
)

export const GET_PROFILE = statement<{ profile: object }>(
  'user-data.profile',
  'select profile from users where api_key_id = $1 and user_id = $2',
)

export interface UserGrantRow {
  type: ResourceType
  resourceKey: string
  id: string
  accessRole: AccessRole
  expiresAt: Date | null
}

/** Grants of user `$2` after kind `$3` and resource `$4`, at most `$5`. */
export const LIST_GRANTS = statement<UserGrantRow>(
  'user-data.grants',
  /* sql */ `
  select g.kind as type, g.resource_key as "resourceKey", r.id, g.role as "accessRole", g.expires_at as "expiresAt"
    from grants g join resources r on r.organization_key = g.organization_key and r.resource_key = g.resource_key
   where g.organization_key = $1 and g.user_id = $2 and (g.kind, g.resource_key) > ($3::resource_kind, $4::uuid)
   order by g.kind, g.resource_key limit $5::int`,
)

export interface UserGroupRow {
  groupId: string
  groupName: string | null
}

/** User groups of user `$2` after id `$3`, at most `$4`. */
export const LIST_USER_GROUPS = statement<UserGroupRow>(
  'user-data.user-groups',
  /* sql */ `
  select m.group_id as "groupId", g.name as "groupName"
    from user_group_members m join user_groups g on g.organization_key = m.organization_key and g.group_id = m.group_id
   where m.organization_key = $1 and m.user_id = $2 and m.group_id > $3
   order by m.group_id limit $4::int`,
)

export interface UserEventRow {
  sequence: string
  type: string
  changedAt: Date
  organizationId: string | null
  resourceType: ResourceType | null
  resourceId: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Events of stream `$1` about user `$2` after number `$3`, at most `$4`. */
export const LIST_EVENTS = statement<UserEventRow>(
  'user-data.events',
  /* sql */ `
  select sequence::text, type, changed_at as "changedAt", organization_id as "organizationId",
         resource_kind as "resourceType", resource_id as "resourceId", before, after
    from events e where stream = $1 and user_id = $2 and sequence > $3::bigint
   order by e.sequence limit $4::int`,
)
