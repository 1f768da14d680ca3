/** The filters of reads of threads, as values of their statements (rules/comments.md#reading-threads). */
import type { getThreads } from '#contract/comments/threads.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Words } from '../words.ts'

type Data = DataOf<typeof getThreads>

/** The filter about agents: `all`, or the status of a suggestion; `none` matches nothing. */
interface AgentFilter {
  byAgents: 'all' | 'pending' | 'none' | null
}

export interface Filters extends AgentFilter, Omit<Data, 'organizationId'> {
  folderKey: string | null
}

const AGENT_FIELDS = [
  'agentId',
  'executionId',
  'agentType',
  'agentSource',
  'agentSuggestions',
  'agentComments',
] as const

/** Checks the fields about agents, of which a call takes one. All agents are external: there are no others. */
export function agentFilterOf(data: Data, words: Words): AgentFilter {
  const [first, second] = AGENT_FIELDS.filter((name) => data[name] !== undefined && data[name] !== false)
  if (second !== undefined)
    throw invalidArgument([{ field: second, message: `${second} must not be given together with ${first}` }])
  const { agentType, agentSource } = data
  if (agentSource !== undefined && !['external', 'service', words.service].includes(agentSource))
    throw invalidArgument([
      { field: 'agentSource', message: `agentSource must be one of "external", "${words.service}"` },
    ])
  if (data.agentSuggestions) return { byAgents: 'pending' }
  if (data.agentComments) return { byAgents: 'all' }
  const kind = agentType ?? agentSource
  return { byAgents: kind === undefined ? null : kind === 'external' ? 'all' : 'none' }
}

const time = (milliseconds: number | undefined): Date | null =>
  milliseconds === undefined ? null : new Date(milliseconds)

/** Returns the values of the filters, in the order of the statements. */
export const filterValues = (filters: Filters): unknown[] => [
  filters.locationIds ?? null,
  filters.userIds ?? null,
  filters.mentionedUserIds ?? null,
  filters.resolvedBy ?? null,
  filters.statusIds ?? null,
  filters.statusId ?? null,
  time(filters.updatedAfter),
  time(filters.updatedBefore),
  time(filters.createdAfter),
  time(filters.createdBefore),
  filters.agentId ?? null,
  filters.executionId ?? null,
  filters.byAgents,
  filters.folderKey,
  filters.text ?? null,
  filters.statusTypes ?? null,
  filters.priorityIds ?? null,
  filters.assignedUserIds ?? null,
]

export const isFiltered = (filters: Filters): boolean => filterValues(filters).some((value) => value !== null)
