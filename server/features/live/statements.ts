/** The SQL statements of the reader that all streams of a server share. */
import { statement } from '#platform/db/statement.ts'
import { CURRENT_SNAPSHOT, firstTick, isUnread } from '#tenancy/events/feed-statements.ts'

/** How many events of an API key are looked at in one round. If there are more, its pages load again. */
export const EXAMINED_MAX = 10_000

/** Returns the position of a reader who begins now: a snapshot. */
export const BEGIN_LIVE = statement<{ position: string }>('live.begin', `select ${CURRENT_SNAPSHOT}::text as position`)

/** What happened to a thread. */
export interface ThreadChangeRow {
  organizationId: string
  documentId: string
  annotationId: string
  /** It was public until then, so everybody with access to the document may know that it is gone. */
  wasPublic: boolean
}

export interface LiveRow {
  apiKeyId: string
  /** The position after these changes. */
  until: string
  /** Not all events were looked at, or the position is one of another database. */
  isOverflow: boolean
  changes: ThreadChangeRow[]
}

/** Returns the threads of API keys `$1` with events that became visible since the position `$2`, each once. */
export const READ_LIVE = statement<LiveRow>(
  'live.read',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now),
  place as materialized (
    select key.api_key_id, $2::pg_snapshot as seen, clock.now as until,
           ${firstTick('$2::pg_snapshot', 'clock.now')} as tick, pg_snapshot_xmax($2::pg_snapshot) > pg_snapshot_xmax(clock.now) as is_ahead
      from unnest($1::text[]) as key (api_key_id) cross join clock
  )
  select p.api_key_id as "apiKeyId", p.until::text, p.is_ahead or found.examined = ${EXAMINED_MAX} as "isOverflow",
         coalesce(found.changes, '[]') as changes
    from place p
   cross join lateral (
      select count(*) as examined,
             jsonb_agg(distinct jsonb_build_object(
                 'organizationId', e.organization_id, 'documentId', e.resource_id,
                 'annotationId', coalesce(e.after ->> 'annotationId', e.before ->> 'annotationId'),
                 'wasPublic', e.type in ('thread.deleted', 'thread.visibility_changed') and e.before ->> 'visibility' is not distinct from 'public'))
               filter (where e.type ~ '^(thread|comment)[.]' and ${isUnread('p')}) as changes
        from (select e.* from events e where e.api_key_id = p.api_key_id and e.tick >= p.tick
               order by e.tick, e.stream, e.sequence limit ${EXAMINED_MAX}) e
    ) found`,
)
