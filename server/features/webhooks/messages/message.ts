/** Messages: the stable id, derived from the position of the event, and the payload for each kind of endpoint. */
import { commentActOf } from '#contract/comments/acts.ts'
import { eventId, type FeedEvent, publicEvent } from '#tenancy/events/feed.ts'
import type { EndpointKind } from '../endpoints/endpoint-statements.ts'
import type { Names } from './name-statements.ts'
import { sentenceOf } from './sentences.ts'

/** The position of an event. */
export type EventPlace = Pick<FeedEvent, 'stream' | 'sequence'>

/** A message: of the event itself, or of the act on a thread or comment that it records. */
export interface MessagePlace extends EventPlace {
  isAct: boolean
}

const PREFIX = 'msg_'
const OF_ACT = '-act'

/** Returns `msg_` and the id of the event, and `-act` for the message of the act. */
export const messageId = (place: MessagePlace): string => PREFIX + eventId(place) + (place.isAct ? OF_ACT : '')

/** Returns the message of an id; undefined if the text is not one. */
export function placeOfMessage(id: string): MessagePlace | undefined {
  const [, digits = '', number, act] = /^msg_([0-9a-f]{32})-([1-9]\d{0,15})(-act)?$/.exec(id) ?? []
  const sequence = Number(number)
  if (!Number.isSafeInteger(sequence)) return undefined
  return { stream: digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), sequence, isAct: act !== undefined }
}

export const messageType = (eventType: string, isAct: boolean): string =>
  (isAct ? commentActOf(eventType)?.type : undefined) ?? eventType

/** `document.migration.started` → `document`, `started`. */
const sourceOf = (type: string): string => type.slice(0, type.indexOf('.'))
const actionOf = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

const absentIfNull = (fields: Record<string, string | null>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Returns the additional fields of a processed payload: names, addresses and a sentence. */
function processed(event: FeedEvent, names: Names): object {
  const { organizationId, resourceKind, resourceId, userId } = event
  const { organizationName, resourceName, userName, userEmail } = names
  const resource = { type: resourceKind, id: resourceId, ...absentIfNull({ name: resourceName }) }
  return {
    sentence: sentenceOf(event, names),
    ...(organizationId === null ? {} : { organization: { organizationId, ...absentIfNull({ organizationName }) } }),
    ...(resourceKind === null ? {} : { resource }),
    ...(userId === null ? {} : { user: { userId, ...absentIfNull({ name: userName, email: userEmail }) } }),
  }
}

/** Returns the payload before encoding. An event always has the same payload, unless names have changed or a user was erased. */
export function payloadOf(kind: EndpointKind, event: FeedEvent, names: Names | undefined): object {
  const { type } = event
  const head = { event: type, actionType: actionOf(type), webhookId: messageId({ ...event, isAct: false }) }
  if (kind === 'signed') return { ...head, source: sourceOf(type), data: publicEvent(event) }
  const basic = { ...head, notificationSource: sourceOf(type), ...publicEvent(event) }
  return names === undefined ? basic : { ...basic, ...processed(event, names) }
}
