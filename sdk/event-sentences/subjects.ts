/** The parts of the sentences of all event types: the actor, the subject, and the values before and after. */
import type { Event } from '../generated/operations.ts'
import type { Values } from './changes.ts'
import type { EventNames } from './names.ts'
import { type NamedPart, type Sentence, say } from './parts.ts'

export interface Wording {
  names: EventNames
  /** Writes the day of a time in milliseconds, and the time of the day if that matters. */
  formatTime: (at: number, hasTime: boolean) => string
}

/** The parts of an event, ready for a sentence. */
export interface Subjects {
  event: Event
  before: Values
  after: Values
  /** The actor, at the beginning of a sentence. */
  actor: Sentence
  organization: Sentence
  /** The folder, document or organization: its name, or its kind and id. */
  resource: Sentence
  /** The resource, always with its kind. */
  kindAndResource: Sentence
  user: Sentence
  group: Sentence
  apiKey: Sentence
  endpoint: Sentence
  /** Somebody who manages the workspace. */
  operator: (id: string) => Sentence
  /** The user or user group that holds a grant. */
  holder: Sentence
  /** A field of `after`, or else of `before`, as text; undefined without one. */
  text: (field: string) => string | undefined
  /** A folder that the values name; null and absent stand for the organization itself. */
  folder: (id: unknown) => Sentence
  /** A day; with the time if that is near the event, or `hasTime`. */
  time: (at: number, hasTime?: boolean) => string
}

const NEAR_MS = 2 * 86_400_000

export const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given !== '' ? given : undefined

/** Names a thing, with its kind in front where only its id is known. */
const named = (part: NamedPart, kind: string): Sentence => (part.text === part.id ? say`${kind} ${part}` : say`${part}`)

/** `user` is who the event is about, whose user token it was unless the actor names the user who shared. */
function actorOf(
  { operator, token, userToken, userId, system }: Event['actor'],
  user: (id?: string) => Sentence,
  names: EventNames,
): Sentence {
  if (operator !== undefined) {
    const { id, name } = operator
    return say`${{ ...names.part({ kind: 'operator', id }), text: name }}`
  }
  if (token === 'workspace') return say`The workspace token`
  if (token !== undefined)
    return say`The token ${{ kind: 'token', text: token }}${userId === undefined ? [] : say`, for ${user(userId)},`}`
  if (userToken) return say`${user(userId)}, with a user token,`
  return system === undefined ? say`Somebody` : say`The service`
}

export function subjectsOf(event: Event, { names, formatTime }: Wording): Subjects {
  const { actor, organizationId, resource, groupId, userId, apiKey, before = {}, after = {} } = event
  const organization =
    organizationId === undefined
      ? say`the organization`
      : named(names.part({ kind: 'organization', id: organizationId }), 'organization')
  const isInside = resource !== undefined && resource.type !== 'organization'
  const about = isInside ? names.part({ kind: resource.type, id: resource.id, organizationId }) : undefined
  const user = (id: string | undefined): Sentence =>
    id === undefined ? say`a user` : named(names.part({ kind: 'user', id }), 'user')
  const group = (id: string | undefined): Sentence =>
    id === undefined ? say`a user group` : named(names.part({ kind: 'userGroup', id, organizationId }), 'user group')
  const text = (field: string) => textOf(after[field]) ?? textOf(before[field])
  const holdingGroup = text('groupId')
  const endpointId = text('endpointId')
  return {
    event,
    before,
    after,
    actor: actorOf(actor, (id = userId) => user(id), names),
    organization,
    resource: about === undefined || resource === undefined ? organization : named(about, resource.type),
    kindAndResource:
      about === undefined || resource === undefined
        ? withKind(organization, 'organization')
        : say`the ${resource.type} ${about}`,
    user: user(userId),
    group: group(groupId),
    apiKey: apiKey === undefined ? say`an API key` : named(names.part({ kind: 'apiKey', id: apiKey }), 'API key'),
    endpoint: endpointOf(endpointId, names),
    operator: (id) => named(names.part({ kind: 'operator', id }), 'the person'),
    holder: userId === undefined && holdingGroup !== undefined ? group(holdingGroup) : user(userId),
    text,
    folder: (id) => {
      const folderId = textOf(id)
      if (folderId === undefined || folderId === 'root') return say`the top of ${organization}`
      return named(names.part({ kind: 'folder', id: folderId, organizationId }), 'folder')
    },
    time: (at, hasTime = Math.abs(at - event.changedAt) < NEAR_MS) => formatTime(at, hasTime),
  }
}

const withKind = (organization: Sentence, kind: string): Sentence =>
  typeof organization[0] === 'string' ? say`the ${organization}` : say`the ${kind} ${organization}`

const BASIC_URLS: Readonly<Record<string, string>> = { raw: 'the raw URL', processed: 'the processed URL' }

function endpointOf(id: string | undefined, names: EventNames): Sentence {
  if (id === undefined) return say`a webhook endpoint`
  return BASIC_URLS[id] === undefined
    ? named(names.part({ kind: 'webhookEndpoint', id }), 'webhook endpoint')
    : say`${BASIC_URLS[id]} for webhooks`
}
