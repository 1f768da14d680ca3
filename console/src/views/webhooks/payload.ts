/** Builds the payload of a message from an event, like the server. */
import type { Event } from '#sdk/generated/operations.ts'
import { isBasic } from './basic-urls.tsx'

/** The payload for `processed` also contains names and a sentence of that time, which are not reproduced here. */
export function payloadOf(endpointId: string, messageId: string, event: Event): object {
  const { type } = event
  const head = { event: type, actionType: type.slice(type.lastIndexOf('.') + 1), webhookId: messageId }
  const source = type.slice(0, type.indexOf('.'))
  return isBasic(endpointId) ? { ...head, notificationSource: source, ...event } : { ...head, source, data: event }
}
