/** Names who caused an event, as text. */
import type { Event } from '#sdk/generated/operations.ts'

/** `userName` is who the event is about, whose user token it was unless the actor names the user who shared. */
export const actorName = (
  { operator, token, userToken, userId, system, address, apiKey }: Event['actor'],
  userName = 'a user',
): string =>
  operator?.name ??
  (token !== undefined && userId !== undefined ? `${token}, for ${userId}` : token) ??
  (userToken && `${userId ?? userName}, with a user token`) ??
  (system === undefined ? undefined : `the service (${system})`) ??
  apiKey ??
  address ??
  'unknown'
