/**
 * Records events. The statement that makes a change also writes its event, so that neither exists without the other
 * (rules/events.md#events). An organization numbers its events with its own counter under its lock: in commit order, without
 * gaps within an epoch of the database (ADR 0063). Each event also has a tick, which puts the events of all streams into one
 * order (ADR 0018).
 */
import type { EventType } from '#contract/events/events.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor, SystemActor } from '../callers/caller.ts'
import { streamKey, workspaceStream } from '../callers/keys.ts'
import { grantInEvents, userIn } from '../principals.ts'

/**
 * The CTE `recorded` numbers and stores the events of a change inside organizations. The text must define two CTEs before
 * it: `event (organization_key, position, type, resource_kind, resource_id, user_id, actor, before, after)`, where
 * `position` orders the events of one organization; and `counted`, the organizations whose counters the statement has
 * advanced, with the columns of `COUNTED`. Both are joined fully because a full join is never a nested loop, which the planner
 * prefers where it expects one row of each: a call of 1,000 organizations would compare a million pairs. The `coalesce` keeps
 * it from turning the join into an inner one.
 */
export const STORE_EVENTS = /* sql */ `
  recorded as (
    insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id,
                        resource_kind, resource_id, user_id, actor, before, after)
    select e.organization_key,
           c.events_before + row_number() over (partition by e.organization_key order by e.position),
           c.event_tick, e.type, c.workspace_id, c.api_key_id, c.organization_id,
           e.resource_kind, e.resource_id, e.user_id, e.actor, e.before, e.after
      from event e
      full join counted c on c.organization_key = e.organization_key
     where coalesce(c.organization_key = e.organization_key, false)
  )`

/**
 * The lower bound of a tick, which is a Lamport clock. A tick is never below the number of its transaction, so a reader
 * that knows which transactions have ended also knows a tick below which no event can appear any more. A tick is never
 * below the last tick of its stream.
 */
const OWN_TICK = 'pg_current_xact_id()::text::bigint'

/**
 * New numbers are higher than this; it is 0 until the first failover or restore. Somebody may know an event that a
 * failover or a restore has lost by its number, and no other event must get that number.
 */
const NUMBERED_AFTER = `coalesce((select d.numbered_after from database_epochs d order by d.epoch desc limit 1), 0)`

/** Advances the counter of an organization `o` by the number of its `events`. */
export const COUNT = (events: string): string =>
  `event_count = greatest(o.event_count, ${NUMBERED_AFTER}) + ${events}, event_tick = greatest(o.event_tick, ${OWN_TICK})`

/** The columns that `counted` returns of the organizations `o` that it updates; `events` is the number of new events of each. */
export const COUNTED = (events: string): string => /* sql */ `
    returning o.organization_key, o.api_key_id, o.organization_id, o.event_count - ${events} as events_before, o.event_tick,
              (select k.workspace_id from api_keys k where k.api_key_id = o.api_key_id) as workspace_id`

/**
 * The CTEs `counted` and `recorded` for a statement that does not update organizations itself. An organization with an
 * event counts as added.
 */
export const RECORD_EVENTS = /* sql */ `
  counted as (
    update organizations o
       set ${COUNT('n.events')}, added_at = coalesce(o.added_at, clock_timestamp())
      from (select organization_key, count(*) as events from event group by organization_key) n
     where o.organization_key = n.organization_key${COUNTED('n.events')}
  ),
  ${STORE_EVENTS}`

/** The actor of events of expired grants: the system. */
export const EXPIRY_ACTOR = `'{"system": "expiry"}'::jsonb`

/**
 * Returns the part of the CTE `event` for expired grants. The grants are the rows of `from`
 * `(organization_key, kind, resource_id, principal)` with the columns named here.
 */
export const expiryEvents = (
  from: string,
  { position, role = 'role', expiresAt = 'expires_at' }: { position: string; role?: string; expiresAt?: string },
): string => /* sql */ `
    select organization_key, ${position} as position, 'permission.expired' as type, kind as resource_kind, resource_id, ${userIn('principal')} as user_id,
           ${EXPIRY_ACTOR} as actor,
           ${grantInEvents('principal', role, `extract(epoch from ${expiresAt})::bigint`)} as before,
           null::jsonb as after
      from ${from}`

/**
 * The CTE `event` for the grants in the rows of the CTE `removed`. A temporary one that expired without an event
 * (`expiry_unreported`) also gets that event, before the event of its removal.
 */
export const REMOVAL_EVENTS = /* sql */ `event as (
    select organization_key, 1 + 3 * ord as position, 'permission.removed' as type, kind as resource_kind, resource_id, ${userIn('principal')} as user_id, actor,
           ${grantInEvents('principal', 'standing_role', 'null')} as before, null::jsonb as after
      from removed where standing_role is not null
    union all
    select organization_key, 2 + 3 * ord, 'permission.removed', kind, resource_id, ${userIn('principal')}, actor,
           ${grantInEvents('principal', 'temporary_role', 'extract(epoch from expires_at)::bigint')}, null
      from removed where temporary_role is not null
    union all${expiryEvents('removed', { position: '3 * ord', role: 'temporary_role' })} where expiry_unreported
  )`

/** The columns of `resources` in the order of `NEW_ROOTS`. */
export const ROOT_COLUMNS = '(organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)'

/** The CTE `opening`: the organizations without `added_at` that the rows of `rows` use, with the actor of the first row of each. */
export const opening = (rows: string): string => /* sql */ `opening as (
    select distinct on (organization_key) organization_key, actor from ${rows} where not organization_added order by organization_key, ord
  )`

/** The part of the CTE `event` for the organizations of `opening`. */
export const OPENING_EVENTS = /* sql */ `
    select organization_key, 0 as position, 'organization.added' as type, null::resource_kind as resource_kind, null as resource_id,
           null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from opening`

/**
 * Selects the resources of organizations that this statement creates; grants on an organization refer to them. The text must
 * define `opening` before it.
 */
export const NEW_ROOTS = /* sql */ `
    select o.organization_key, o.organization_key, 'organization'::resource_kind, o.organization_id, clock_timestamp(),
           array[o.organization_key], 1, o.organization_key
      from organizations o
     where o.organization_key in (select organization_key from opening)`

/** The CTE `root` creates the resources of `NEW_ROOTS`. */
export const OPEN_ORGANIZATIONS = `
  root as (
    insert into resources ${ROOT_COLUMNS}${NEW_ROOTS}
  )`

/** An event outside organizations: of a workspace or of an API key. */
export interface StreamEvent {
  type: EventType
  workspaceId: string
  apiKeyId?: string
  userId?: string
  actor: Actor | SystemActor
  before?: object
  after?: object
}

export const RECORD_STREAM_EVENT = setStatement<
  Required<Omit<StreamEvent, 'before' | 'after' | 'apiKeyId' | 'userId'>> & {
    stream: string
    apiKeyId: string | null
    userId: string | null
    before: object | null
    after: object | null
  },
  never
>(
  'events.record',
  {
    stream: 'uuid',
    type: 'text',
    workspaceId: 'text',
    apiKeyId: 'text',
    userId: 'text',
    actor: 'jsonb',
    before: 'jsonb',
    after: 'jsonb',
  },
  /* sql */ `
  with event as materialized (select * from $input),
  counted as (
    insert into event_streams as s (stream, event_count, event_tick)
    select stream, ${NUMBERED_AFTER} + count(*), ${OWN_TICK} from event group by stream order by stream
    on conflict (stream) do update
       set event_count = greatest(s.event_count - ${NUMBERED_AFTER}, 0) + excluded.event_count,
           event_tick = greatest(s.event_tick, excluded.event_tick)
    returning stream, event_count, event_tick
  )
  insert into events (stream, sequence, tick, type, workspace_id, api_key_id, user_id, actor, before, after)
  select e.stream, c.event_count - count(*) over (partition by e.stream) + row_number() over (partition by e.stream order by e.ord),
         c.event_tick, e.type, e.workspace_id, e.api_key_id, e.user_id, e.actor, e.before, e.after
    from event e full join counted c on c.stream = e.stream -- never a nested loop, as in STORE_EVENTS
   where coalesce(c.stream = e.stream, false)
   order by e.stream, e.ord -- so that changed_at rises with sequence`,
)

/** Records events of a workspace, or of an API key if they have a `userId` and so concern one of its users. */
export async function recordStreamEvents(session: Session, events: readonly StreamEvent[]): Promise<void> {
  await session.runSet(
    RECORD_STREAM_EVENT,
    events.map((event) => ({
      stream:
        event.userId === undefined || event.apiKeyId === undefined
          ? workspaceStream(event.workspaceId, session.bucket)
          : streamKey('api key', event.apiKeyId),
      type: event.type,
      workspaceId: event.workspaceId,
      apiKeyId: event.apiKeyId ?? null,
      userId: event.userId ?? null,
      actor: event.actor,
      before: event.before ?? null,
      after: event.after ?? null,
    })),
  )
}
