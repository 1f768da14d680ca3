/** What lists show of a token, and how it came about. The same for auth tokens and workspace tokens. */
import type { TokenOrigin } from '#contract/keys/auth-tokens.ts'
import { shownPrefix } from '#platform/secrets/tokens.ts'
import type { Actor } from './caller.ts'

/** Returns the origin of a token that an actor makes. It names the operator or the workspace token, and holds no secret. */
export const originOf = (how: TokenOrigin['how'], { operator, token }: Actor): TokenOrigin => ({
  how,
  ...(operator === undefined ? {} : { operator }),
  ...(operator !== undefined || token === undefined ? {} : { workspaceToken: token }),
})

/** A row of a token, as both tables have it. */
export interface TokenRow {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  /** Null: the token is older than the column. */
  origin: TokenOrigin | null
}

/** Returns the representation of a token without its secret, of which it shows the beginning. */
export const tokenRecord = ({ id, name, createdAt, expiresAt, lastUsedAt, origin }: TokenRow, token: string) => ({
  id,
  name,
  prefix: shownPrefix(token),
  createdAt: createdAt.getTime(),
  ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
  ...(lastUsedAt === null ? {} : { lastUsedAt: lastUsedAt.getTime() }),
  ...(origin === null ? {} : { origin }),
})
