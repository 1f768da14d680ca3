/** Signs answers of permission providers that want to send a signature. */

import type { generatePermissionSignature } from '#contract/access/permission-provider.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { randomBase62 } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { apiKeySealContext, changeApiKey } from '#tenancy/writes/api-key.ts'
import { signatureOf } from './signature.ts'
import { GET_SIGNATURE_SECRET, SET_SIGNATURE_SECRET } from './statements.ts'

/** Some 256 bits. */
const SECRET_CHARACTERS = 43

export function createPermissionSignatures({ db, sealer }: Pick<Kernel, 'db' | 'sealer'>) {
  const place = (apiKeyId: string) => apiKeySealContext('signature_secret_sealed', apiKeyId)

  async function read(session: Session, apiKeyId: string): Promise<string | undefined> {
    const [key] = await session.run(GET_SIGNATURE_SECRET, [apiKeyId])
    if (key === undefined) throw credentialsInvalid()
    return key.sealed === null ? undefined : sealer.open(key.sealed, place(apiKeyId))
  }

  /** Creates the secret, unless another call has. */
  const create = (caller: Caller): Promise<string> => {
    const { apiKeyId } = caller
    const work = async (session: Session) => {
      const there = await read(session, apiKeyId)
      if (there !== undefined) return there
      const secret = randomBase62(SECRET_CHARACTERS)
      await session.run(SET_SIGNATURE_SECRET, [apiKeyId, sealer.seal(secret, place(apiKeyId))])
      return secret
    }
    return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
  }

  return {
    async generate(
      caller: Caller,
      { permissions }: DataOf<typeof generatePermissionSignature>,
    ): Promise<{ signature: string }> {
      const secret = (await read(db, caller.apiKeyId)) ?? (await create(caller))
      return { signature: signatureOf(secret, permissions) }
    },
  }
}
