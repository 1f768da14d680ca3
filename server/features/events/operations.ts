/** Listing events: those of a stream by their numbers, those of an API key by the feed (ADR 0018). */
import { type Event, type listAccountEvents, type listEvents, typesOf } from '#contract/events.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import { organizationFault } from '#contract/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { type PageTokens, pageTokenInvalid } from '#platform/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller, WorkspaceCaller } from '#tenancy/caller.ts'
import { eventOf, toldEvent } from '#tenancy/event-feed.ts'
import { organizationKey, owningOrganization, streamKey } from '#tenancy/keys.ts'
import {
  type BoundsRow,
  FIND_NUMBERS,
  FIND_TICKS,
  LIST_NEWEST,
  LIST_NEWEST_OF_STREAM,
  LIST_NEWEST_OF_USER,
  LIST_OLDEST,
  LIST_OLDEST_OF_STREAM,
  LIST_OLDEST_OF_USER,
  type ListedRow,
} from './statements.ts'

type Filters = DataOf<typeof listEvents>
type Page = { data: ResultOf<typeof listEvents>; nextPageToken?: string }

const LOOK = LIMITS.eventsExaminedPerPageMax

/** Beyond every tick and number, as text: they have more digits than a number of JavaScript keeps. */
const LEAST = '-9223372036854775808'
const GREATEST = '9223372036854775807'

/** Sees nothing, not even what was there before there were snapshots. */
const NOTHING = '1:1:'

/** How far a reader has come in the feed: as `event_followers` has it; `seen` null where the list ends with `until`. */
interface FeedPlace {
  seen: string | null
  until: string | null
  after: [tick: number | string, stream: string, sequence: number] | null
}

export type Events = ReturnType<typeof createEvents>

export function createEvents({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async list(caller: Caller, data: DataOf<typeof listEvents>): Promise<Page> {
      const organizationId = organizationOf(data)
      const scope = ['events.list', caller.apiKeyId, ...queryOf({ ...data, organizationId })]
      if (organizationId === undefined) return listFeed(caller.apiKeyId, data, scope)
      return listStream(organizationKey(caller, organizationId), data, scope)
    },

    ofWorkspace(caller: WorkspaceCaller, { apiKey, ...data }: DataOf<typeof listAccountEvents>): Promise<Page> {
      const scope = ['account-events.list', caller.workspaceId, apiKey ?? null, ...queryOf(data)]
      return listStream(streamKey('workspace', caller.workspaceId), data, scope)
    },
  }
}
