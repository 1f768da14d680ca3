/** User tokens with valid signatures that the server would not issue. */
import { importJWK, type JWTPayload, SignJWT } from 'jose'
import type { Db } from '#platform/db/db.ts'
import { createSealer } from '#platform/secrets/seal.ts'
import type { Client } from '#testing/client.ts'
import { MASTER_KEY } from '#testing/server.ts'
import { apiKeyOf } from './callers.ts'

/** Signs a token with the key of a client's API key, with other claims and other fields in its header. */
export async function signedToken(db: Db, client: Client, claims: JWTPayload, header: object = {}): Promise<string> {
  const apiKeyId = apiKeyOf(client)
  const { rows } = await db.query('select kid, private_key_sealed as sealed from signing_keys where api_key_id = $1', [
    apiKeyId,
  ])
  const [{ kid, sealed }] = rows as [{ kid: string; sealed: Buffer }]
  const place = { column: 'signing_keys.private_key_sealed', row: `${apiKeyId}/${kid}` }
  const jwk = JSON.parse(createSealer(MASTER_KEY).open(Buffer.from(sealed), place))
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(await importJWK(jwk, 'ES256'))
}
