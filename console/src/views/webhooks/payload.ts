/** The payload of a message, as the server makes it of an event. */
import type { Event } from '#sdk/generated/operations.ts'
import { isBasic } from './basic-urls.tsx'

/** `processed` also has names and a sentence, as they were at that moment. */
export function payloadOf(endpointId: string, messageId: string, event: Event): object {
  const { type } = event
  const head = { event: type, actionType: type.slice(type.lastIndexOf('.') + 1), webhookId: messageId }
  const source = type.slice(0, type.indexOf('.'))
  return isBasic(endpointId) ? { ...head, notificationSource: source, ...event } : { ...head, source, data: event }
}
