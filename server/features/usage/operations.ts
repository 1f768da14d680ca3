/** Reads the usage of API keys by hour, day or month (rules/keys.md#usage). */

import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getUsage, listAccountUsage, UsageGranularity, UsagePeriod } from '#contract/usage/usage.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import { DistinctSketch } from '#platform/distinct.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import type { Caller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { startCounting } from './counting.ts'
import { NOTHING } from './counting-statements.ts'
import {
  COUNT_CONTENTS,
  type DayRow,
  type HourRow,
  LIST_KEYS,
  READ_DAYS,
  READ_HOURS,
  type ReadValues,
} from './statements.ts'

type Range = DataOf<typeof getUsage>

const FLOWS = ['calls', 'refused', 'failed', 'checks', 'webhooks'] as const
const CONTENTS = ['organizations', 'documents', 'users', 'threads'] as const

export function createUsageReads({ db, buckets, pageTokens, use }: Kernel) {
  const { written } = use(startCounting)
  async function currentDay({ apiKeyId }: Caller): Promise<DayRow> {
    const [counted] = await db.run(COUNT_CONTENTS, [apiKeyId])
    if (counted === undefined) throw new Error('a count returned no row')
    const { day: at, ...contents } = counted
    return { apiKeyId, at, ...NOTHING, ...contents, activeUsers: null }
  }

  return {
    async get(caller: Caller, range: Range): Promise<ResultOf<typeof getUsage>> {
      const { granularity = 'day' } = range
      await written()
      const current = granularity === 'hour' ? undefined : await currentDay(caller)
      const periods = (await readUsage(db, [caller.apiKeyId], range, current)).get(caller.apiKeyId) ?? []
      return { granularity, periods }
    },

    async ofWorkspace(
      { workspaceId }: WorkspaceCaller,
      { apiKeys, pageSize = LIMITS.usageKeysPageSizeMax, pageToken, ...range }: DataOf<typeof listAccountUsage>,
    ): Promise<Paged<ResultOf<typeof listAccountUsage>>> {
      const { granularity = 'day', from = null, to = null } = range
      const scope = ['account-usage.list', workspaceId, apiKeys ?? null, granularity, from, to]
      const after = pageTokens.decode(scope, pageToken)
      const { found } = await buckets.readKeys(
        workspaceId,
        async ({ kernel, apiKeys, has }) => {
          await kernel.use(startCounting).written()
          const rows = await kernel.db.run(LIST_KEYS, [workspaceId, apiKeys, after, pageSize + 1])
          return { rows: rows.filter(({ apiKey }) => has(apiKey)), kernel }
        },
        { named: apiKeys },
      )
      const rows = found
        .flatMap(({ rows }, nth) => rows.map((key) => ({ ...key, nth })))
        .sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1))
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ apiKey }) => apiKey)
      const read = await Promise.all(
        found.map(({ kernel }, nth) =>
          readUsage(
            kernel.db,
            page.flatMap((key) => (key.nth === nth ? [key.apiKey] : [])),
            range,
          ),
        ),
      )
      const keys = page.map(({ nth, ...key }) => ({ ...key, periods: read[nth]?.get(key.apiKey) ?? [] }))
      return { data: { granularity, keys }, ...next }
    },
  }
}

/** Returns the periods of each key, oldest first. The current day has the counts of `current`. */
async function readUsage(
  db: Db,
  apiKeys: readonly string[],
  range: Range,
  current?: DayRow,
): Promise<Map<string, UsagePeriod[]>> {
  const { granularity = 'day', from, to } = range
  const values: ReadValues = [apiKeys, granularity, momentOf(from), momentOf(to)]
  const rows = await (granularity === 'hour' ? db.run(READ_HOURS, values) : db.run(READ_DAYS, values))
  const byKey = Map.groupBy<string, HourRow | DayRow>(rows, ({ apiKeyId }) => apiKeyId)
  return new Map(apiKeys.map((key) => [key, periodsOf(withCurrent(byKey.get(key) ?? [], range, current), granularity)]))
}

const momentOf = (milliseconds: number | undefined): Date | null =>
  milliseconds === undefined ? null : new Date(milliseconds)

const UNCOUNTED = { organizations: null, documents: null, users: null, threads: null }

/**
 * Replaces the earlier counts of the same day by the new ones, or adds the day if it is in the range. Days after it are of a clock that
 * was set back, and what they counted then is not the last count.
 */
function withCurrent(rows: (HourRow | DayRow)[], range: Range, current: DayRow | undefined): (HourRow | DayRow)[] {
  if (current === undefined) return rows
  const { granularity = 'day', from, to } = range
  const { startsAt, endsAt } = periodOf(current.at, granularity)
  const isAsked = (to === undefined || startsAt < to) && (from === undefined || endsAt > from)
  const same = rows.find(({ at }) => at.getTime() === current.at.getTime()) as DayRow | undefined
  const { organizations, documents, users, threads, mails } = current
  const counted = { organizations, documents, users, threads, mails: Math.max(same?.mails ?? 0, mails) }
  return [
    ...rows.filter(({ at }) => at < current.at),
    ...(same !== undefined ? [{ ...same, ...counted }] : isAsked ? [current] : []),
    ...rows.filter(({ at }) => at > current.at).map((later) => ({ ...later, ...UNCOUNTED })),
  ]
}

/** Sums the rows of each period; for contents, the last count is used. */
function periodsOf(rows: readonly (HourRow | DayRow)[], granularity: UsageGranularity): UsagePeriod[] {
  const byPeriod = Map.groupBy(rows, ({ at }) => periodOf(at, granularity).period)
  return [...byPeriod].map(([period, parts]) => {
    const { startsAt } = periodOf((parts[0] as HourRow).at, granularity)
    const sums = Object.fromEntries(FLOWS.map((flow) => [flow, parts.reduce((sum, part) => sum + part[flow], 0)]))
    const flows = { period, startsAt, ...sums } as UsagePeriod
    if (granularity === 'hour') return flows
    const days = parts as readonly DayRow[]
    const contents = CONTENTS.flatMap((what) => {
      const counted = days.findLast((day) => (day[what] ?? null) !== null)?.[what]
      return counted === undefined || counted === null ? [] : [[what, counted]]
    })
    return {
      ...flows,
      mails: days.reduce((sum, { mails }) => sum + mails, 0),
      activeUsers: activeUsersOf(days),
      ...Object.fromEntries(contents),
    }
  })
}

function activeUsersOf(days: readonly DayRow[]): number {
  const users = new DistinctSketch()
  for (const { activeUsers } of days) users.merge(DistinctSketch.from(activeUsers))
  return users.count()
}

/** The characters of an ISO time that name a period. */
const NAMED_BY = { hour: 13, day: 10, month: 7 } as const

function periodOf(at: Date, granularity: UsageGranularity): { period: string; startsAt: number; endsAt: number } {
  const name = at.toISOString().slice(0, NAMED_BY[granularity])
  if (granularity === 'hour')
    return { period: `${name}:00Z`, ...bounds(`${name}:00Z`, (start) => start.getTime() + 3_600_000) }
  if (granularity === 'day') return { period: name, ...bounds(name, (start) => start.getTime() + 86_400_000) }
  return { period: name, ...bounds(name, (start) => start.setUTCMonth(start.getUTCMonth() + 1)) }
}

const bounds = (start: string, end: (start: Date) => number) => ({
  startsAt: new Date(start).getTime(),
  endsAt: end(new Date(start)),
})
