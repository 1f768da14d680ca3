/** The SQL statements of the reader that all streams of a server share. */
import { statement } from '#platform/db/statement.ts'
import { CURRENT_EPOCH, CURRENT_SNAPSHOT, EPOCH, firstTick, isUnread } from '#tenancy/events/feed-statements.ts'

/** How many events of an API key are looked at in one round. If there are more, its pages load again. */
const EXAMINED_MAX = 10_000

/** A position: a snapshot, the epoch of the database, and how far its log was then, if the service reveals that. */
const positionAt = (snapshot: string) =>
  `${snapshot}::text || ' ' || ${CURRENT_EPOCH} || ' ' || coalesce(log_position()::text, '')`

/** Returns the position of a reader who begins now. */
export const BEGIN_LIVE = statement<{ position: string }>(
  'live.begin',
  `select ${positionAt(CURRENT_SNAPSHOT)} as position`,
)

/** A change of a thread. */
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
  /** Not all events were read, or the database may lack events that were read up to the position. */
  isOverflow: boolean
  changes: ThreadChangeRow[]
}

/** Returns the threads of API keys `$1` with events that became visible since the position `$2`, each once. */
export const READ_LIVE = statement<LiveRow>(
  'live.read',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now),
  given as materialized (
    select split_part($2, ' ', 1)::pg_snapshot as seen, coalesce(nullif(split_part($2, ' ', 2), ''), '0')::bigint as epoch,
           coalesce(nullif(split_part($2, ' ', 3), ''), 'FFFFFFFF/FFFFFFFF')::pg_lsn as log_position
  ),
  place as materialized (
    select key.api_key_id, g.seen, clock.now as until, ${firstTick('g.seen', 'clock.now')} as tick,
           pg_snapshot_xmax(g.seen) > pg_snapshot_xmax(clock.now) or epochs."isLost" as is_ahead
      from unnest($1::text[]) as key (api_key_id) cross join clock cross join given g
     cross join lateral (select ${EPOCH('g.epoch', 'g.log_position')}) epochs
  )
  select p.api_key_id as "apiKeyId", ${positionAt('p.until')} as until, p.is_ahead or found.examined = ${EXAMINED_MAX} as "isOverflow",
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
