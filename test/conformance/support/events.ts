/** Reads the stored events of an API key, in the order in which they happened. */
import type { Db } from '#platform/db/db.ts'

export interface StoredEvent {
  type: string
  organizationId: string | null
  resourceKind: string | null
  resourceId: string | null
  userId: string | null
  actor: { apiKey?: string; token?: string; operator?: { id: string; name: string }; address?: string; system?: string }
  // biome-ignore lint/suspicious/noExplicitAny: as each type of event has it
  before: any
  // biome-ignore lint/suspicious/noExplicitAny: as each type of event has it
  after: any
}

const COLUMNS = `type, organization_id as "organizationId", resource_kind as "resourceKind", resource_id as "resourceId",
  user_id as "userId", actor, before, after`

export async function eventsOf(db: Db, apiKeyId: string): Promise<StoredEvent[]> {
  const { rows } = await db.query(
    `select ${COLUMNS} from events where api_key_id = $1 order by changed_at, stream, sequence`,
    [apiKeyId],
  )
  return rows as StoredEvent[]
}

export async function eventsOfWorkspace(db: Db, workspaceId: string): Promise<StoredEvent[]> {
  const { rows } = await db.query(
    `select ${COLUMNS}, changed_at as "changedAt" from events where workspace_id = $1 order by changed_at, stream, sequence`,
    [workspaceId],
  )
  return (rows as (StoredEvent & { changedAt: Date })[]).map(({ changedAt: _, ...event }) => event)
}

/** Runs `work` and returns the events that it wrote for the key. */
export async function eventsDuring(db: Db, apiKeyId: string, work: () => Promise<unknown>): Promise<StoredEvent[]> {
  const before = await eventsOf(db, apiKeyId)
  await work()
  return (await eventsOf(db, apiKeyId)).slice(before.length)
}
