/** Builds the HTTP request for a claimed delivery. */

import type { ActFacts } from '#features/comments/shared.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { toFeedEvent } from '#tenancy/events/feed.ts'
import { apiKeySealContext } from '#tenancy/writes/api-key.ts'
import { secretPlace } from '../endpoints/endpoints.ts'
import { publicKeyOf } from '../endpoints/public-keys.ts'
import { actPayload } from '../messages/act-message.ts'
import { messageId, payloadOf } from '../messages/message.ts'
import type { Names } from '../messages/name-statements.ts'
import type { ClaimedDelivery } from './claim-statements.ts'
import { headersOf, wrapped } from './request.ts'

export interface OutgoingRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export function requestOf(
  delivery: ClaimedDelivery & { type: string },
  { names, act }: { names: Names | undefined; act: ActFacts | undefined },
  sealer: Sealer,
  userAgent: string,
): OutgoingRequest {
  const { kind, url, apiKeyId, endpointId, encodeData, encryptData, publicKey, authTokenSealed } = delivery
  const id = messageId(delivery)
  const payload =
    act === undefined ? payloadOf(kind, toFeedEvent({ ...delivery, tick: 0 }), names) : actPayload(kind, id, act)
  const encryptFor = encryptData ? publicKeyOf(publicKey ?? '') : undefined
  const body = wrapped(payload, { encodeData: encodeData ?? false, encryptFor })
  const envelope = { id, timestamp: Math.floor(delivery.now.getTime() / 1000), body }
  const authToken =
    authTokenSealed === null
      ? ''
      : sealer.open(authTokenSealed, apiKeySealContext('webhook_service_token_sealed', apiKeyId))
  const secrets = [delivery.secretSealed, delivery.previousSecretSealed].flatMap((sealed) =>
    sealed === null ? [] : [sealer.open(sealed, secretPlace(endpointId))],
  )
  return { url, headers: headersOf(envelope, { authToken, secrets }, userAgent), body }
}
