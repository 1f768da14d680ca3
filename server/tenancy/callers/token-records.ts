/** The fields of a token in lists: its beginning, its origin, and until when it is valid. The same for auth tokens and workspace tokens. */
import type { TokenOrigin } from '#contract/keys/auth-tokens.ts'
import { shownPrefix } from '#platform/secrets/tokens.ts'
import type { Actor } from './caller.ts'

/** SQL: whether the token `t` is valid now. Every statement asks here: a comparison of its own could differ by a second. */
export const TOKEN_VALID =
  't.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($now, clock_timestamp()))'

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
