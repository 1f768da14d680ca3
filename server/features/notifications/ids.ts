/** Ids of notifications, for callers that give none. */
import { randomInt } from 'node:crypto'

/** Returns a new id of 16 digits. */
export const newNotificationId = (): string =>
  `${randomInt(10_000_000, 100_000_000)}${String(randomInt(0, 100_000_000)).padStart(8, '0')}`
