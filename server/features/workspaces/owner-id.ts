/** The id of an owner. */
import { createHash } from 'node:crypto'

/** Returns the owner id of an address. Case is ignored, as mail providers do, so it does not affect the number of workspaces. */
export const ownerIdOf = (email: string): string =>
  createHash('sha256').update(`owner\0${email.toLowerCase()}`).digest('hex').slice(0, 32)
