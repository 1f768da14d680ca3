/** Names who caused an event, as text. */
import type { Event } from '#sdk/generated/operations.ts'

/** `userName` is who the event is about: the user of a user token acts for nobody else. */
export const actorName = (
  { operator, token, userToken, system, address, apiKey }: Event['actor'],
  userName = 'a user',
): string =>
  operator?.name ??
  token ??
  (userToken && `${userName}, with a user token`) ??
  (system === undefined ? undefined : `the service (${system})`) ??
  apiKey ??
  address ??
  'unknown'
