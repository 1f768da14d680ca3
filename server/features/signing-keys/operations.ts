/** Generates, rotates and lists the key pairs that sign user tokens (rules/keys.md#signing-keys). */
import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { listSigningKeys, rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { SealContext, Sealer } from '#platform/secrets/seal.ts'
import { isWellFormedToken } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import {
  DELETE_EXPIRED_SIGNING_KEYS,
  GET_SIGNING_KEY,
  INSERT_SIGNING_KEY,
  LIST_SIGNING_KEYS,
  RETIRE_SIGNING_KEYS,
  type SigningKeyRow,
} from './statements.ts'

export interface SigningKeysDeps {
  db: Db
  sealer: Sealer
}

export function createSigningKeys({ db, sealer }: SigningKeysDeps) {
  /** Generates a key pair, to be inserted by `rotate` or together with a new API key. */
  async function generate(apiKeyId: string): Promise<{ kid: string; publicJwk: JWK; privateKeySealed: Buffer }> {
    const kid = randomUUID()
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    return {
      kid,
      publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
      privateKeySealed: sealer.seal(JSON.stringify(await exportJWK(privateKey)), place(apiKeyId, kid)),
    }
  }

  return {
    generate,

    /** The private half that signs now. */
    async current(session: Session, { apiKeyId }: Caller): Promise<{ kid: string; jwk: JWK }> {
      const [signing] = await session.run(GET_SIGNING_KEY, [apiKeyId])
      if (signing === undefined) throw credentialsInvalid() // the API key has just been deleted
      const { kid, sealed } = signing
      return { kid, jwk: JSON.parse(sealer.open(sealed, place(apiKeyId, kid))) }
    },

    async rotate(
      caller: Caller,
      { gracePeriodSeconds }: DataOf<typeof rotateSigningKeys>,
    ): Promise<ResultOf<typeof rotateSigningKeys>> {
      const { apiKeyId, workspaceId, actor } = caller
      const { kid, publicJwk, privateKeySealed } = await generate(apiKeyId)
      const work = async (session: Session) => {
        await session.run(RETIRE_SIGNING_KEYS, [apiKeyId, gracePeriodSeconds ?? null])
        await session.run(DELETE_EXPIRED_SIGNING_KEYS, [apiKeyId])
        await session.run(INSERT_SIGNING_KEY, [apiKeyId, kid, JSON.stringify(publicJwk), privateKeySealed])
        const live = await session.run(LIST_SIGNING_KEYS, [apiKeyId])
        if (live.length > LIMITS.signingKeysPerKeyMax) throw tooManySigningKeys()
        const signingKeys = live.map(signingKeyOf)
        const after = { kid, verifying: signingKeys.slice(1) }
        await recordStreamEvents(session, [{ type: 'signing_key.rotated', workspaceId, apiKeyId, actor, after }])
        return { signingKeys }
      }
      return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
    },

    async list({ apiKeyId }: Caller): Promise<ResultOf<typeof listSigningKeys>> {
      return { signingKeys: (await db.run(LIST_SIGNING_KEYS, [apiKeyId])).map(signingKeyOf) }
    },

    /** Returns a JSON Web Key Set (RFC 7517). It is empty for an unknown API key, so it does not reveal whether the key exists. */
    async publicKeys(apiKey: string): Promise<{ keys: JWK[] }> {
      if (!isWellFormedToken(apiKey)) return { keys: [] }
      return { keys: (await db.run(LIST_SIGNING_KEYS, [apiKey])).map(({ publicJwk }) => publicJwk) }
    },
  }
}

const place = (apiKeyId: string, kid: string): SealContext => ({
  column: 'signing_keys.private_key_sealed',
  row: `${apiKeyId}/${kid}`,
})

const signingKeyOf = ({ kid, createdAt, retiredAt }: SigningKeyRow) => ({
  kid,
  createdAt: createdAt.getTime(),
  ...(retiredAt === null ? {} : { expiresAt: Math.floor(retiredAt.getTime() / 1000) }),
})

const tooManySigningKeys = () =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_signing_keys',
    `An API key can have at most ${LIMITS.signingKeysPerKeyMax} live signing keys; this one has reached the limit. Wait until one has expired, or rotate with a shorter gracePeriodSeconds.`,
  )
