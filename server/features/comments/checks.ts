/** Checks of threads and comments that a schema cannot express, and the form in which they are stored (rules/comments.md#threads). */
import type { CommentAgent, ThreadVisibility } from '#contract/comments/agents.ts'
import type { CommentContext, ThreadPriority, ThreadStatus } from '#contract/comments/parts.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { bytesOf, ORGANIZATION_FIELD, type StoredAgent, type StoredVisibility } from './content.ts'
import type { Words } from './words.ts'

/** Collects the faults of a call, which is refused with all of them. */
export class Faults {
  readonly #faults: { field: string; message: string }[] = []

  add(field: string, says: string): void {
    this.#faults.push({ field, message: `${field} ${says}` })
  }

  /** Throws INVALID_ARGUMENT if there are faults. */
  refuse(): void {
    if (this.#faults.length > 0) throw invalidArgument(this.#faults.slice(0, LIMITS.faultsMax))
  }
}

/** Views show a status and a priority by their colors, so a new thread must bring both. */
export function checkColors({ color, lightColor }: ThreadPriority, field: string, faults: Faults): void {
  if (color === undefined) faults.add(`${field}.color`, 'is required')
  if (lightColor === undefined) faults.add(`${field}.lightColor`, 'is required')
}

export function checkNewStatus(status: ThreadStatus, field: string, faults: Faults): void {
  checkColors(status, field, faults)
  if (status.svg === undefined && status.iconUrl === undefined)
    faults.add(`${field}.svg`, 'is required, or iconUrl in its place')
}

/** Returns the agent as it is stored. Throws NOT_FOUND for an agent of the service: there are none. */
export function checkAgent(agent: CommentAgent, field: string, words: Words, faults: Faults): StoredAgent {
  if (agent.agentSource === words.service || agent.agentSource === 'service')
    throw new StatusError('NOT_FOUND', 'agent_does_not_exist', `${field}: there is no agent "${agent.agentId}".`)
  if (agent.agentSource !== 'external')
    faults.add(`${field}.agentSource`, `must be one of "external", "${words.service}"`)
  if (agent.agentName === undefined) faults.add(`${field}.agentName`, 'is required')
  return { ...agent, agentType: 'external' }
}

/** Returns the context as it is stored, without the fields that reads add to it. */
export function checkContext(context: CommentContext, field: string, words: Words, faults: Faults): CommentContext {
  const { access, accessFields: _derived, ...own } = context as Record<string, unknown>
  if (access === undefined || access === null) return own
  const fields = typeof access === 'object' && !Array.isArray(access) ? Object.entries(access) : undefined
  if (fields === undefined || fields.some(([, value]) => !['string', 'number'].includes(typeof value))) {
    faults.add(`${field}.access`, 'must be an object of texts and numbers')
    return own
  }
  for (const [name] of fields)
    if (name === ORGANIZATION_FIELD || name === words.privateSelf)
      faults.add(`${field}.access.${name}`, 'is the name of a visibility; set visibility instead')
  return { ...own, access }
}

/**
 * Refuses `organizationIds` for a type that has no organizations: a restricted thread would be visible to fewer people than
 * the caller has named, and a public one to more. The fields of the hosted original, `organizationId` and `userIds`, are
 * ignored where the type has none, because its clients may send them with every type.
 */
export function checkOrganizations(
  { type, organizationIds = [] }: ThreadVisibility,
  field: string,
  faults: Faults,
): void {
  if (type !== 'organizationPrivate' && organizationIds.length > 0)
    faults.add(`${field}.organizationIds`, `must not be given when type is "${type}", which names no organizations`)
}

/** Returns the visibility as it is stored: who is not public always lists the author. */
export function checkVisibility(
  visibility: ThreadVisibility,
  field: string,
  {
    authorId,
    keyOf,
    faults,
  }: { authorId: string | undefined; keyOf: (organizationId: string) => string; faults: Faults },
): StoredVisibility {
  const { type, organizationId, organizationIds = [], userIds = [] } = visibility
  if (type === 'public') return { type }
  const organizations = [...new Set([...(organizationId === undefined ? [] : [organizationId]), ...organizationIds])]
  if (type === 'organizationPrivate' && organizations.length === 0)
    faults.add(`${field}.organizationId`, 'is required when type is "organizationPrivate"')
  if (type === 'restricted' && userIds.length === 0)
    faults.add(`${field}.userIds`, 'must name somebody when type is "restricted"')
  const named = [...new Set([...userIds, ...(authorId === undefined ? [] : [authorId])])]
  if (type === 'restricted') return { type, userIds: named }
  const [first = ''] = organizations
  return {
    type,
    organizationId: organizationId ?? first,
    organizationIds: organizations,
    organizationKeys: organizations.map(keyOf),
    userIds: named,
  }
}

/** Refuses content that is longer than a comment may be. Returns its size. */
export function checkSize(content: object, field: string, faults: Faults): number {
  const bytes = bytesOf(content)
  if (bytes > LIMITS.commentBytesMax) faults.add(field, `must not have more than ${LIMITS.commentBytesMax} bytes`)
  return bytes
}
