/** Asks the permission providers of API keys (rules/access.md#permission-providers, ADR 0040). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kernel } from '#kernel'
import { Lifetime } from '#platform/lifetime.ts'
import { createOutbound, type Outbound, type OutboundAnswer } from '#platform/outbound/outbound.ts'
import { FairSlots } from '#platform/queues/fair-slots.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { apiKeySealContext } from '#tenancy/writes/api-key.ts'
import { type AskedResource, grantsIn, type ProvidedGrant, ProviderFailed } from './answer.ts'
import { isSignature } from './signature.ts'
import { GET_PERMISSION_PROVIDER, GET_SIGNATURE_SECRET } from './statements.ts'

/** The time of a question: its turn, both tries and the pause between them. */
const TOTAL_MS = 5_000
/** Leaves time for a second try if the first one hangs. */
const FIRST_TRY_MS = 3_000
const PAUSE_MS = 100
/** The maximum size of a response. An answer about one resource has some 200 bytes. */
const RESPONSE_BYTES_MAX = 1024 * 1024
/** Requests that a process has under way. Each can hold as many bytes as a response may have. */
const SLOTS = 128
/** A workspace gets another slot while it has fewer than this fraction of the free slots. Alone it can have 15. */
const PART = 1 / 8

/** The provider of an API key, as it was set when a call came. */
export interface Provider {
  url: string
  token: string
  /** The token as it is stored: with the URL, it tells whether the provider is still the same. */
  tokenSealed: Buffer | null
  /** Null: nothing had been signed when the call came. */
  secret: string | null
  requireKnownResources: boolean
  /** Whether the API key has the role `commenter`. */
  hasCommenter: boolean
  now: Date
}

export function createPermissionProviders({ config, db, sealer, version }: Kernel) {
  const outbound = createOutbound({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE })
  const slots = new FairSlots(SLOTS, PART)
  const open = (column: Parameters<typeof apiKeySealContext>[0], apiKeyId: string, sealed: Buffer | null) =>
    sealed === null ? null : sealer.open(sealed, apiKeySealContext(column, apiKeyId))

  /** Returns the secret that was created while the provider was asked, because its answer is the first that was signed. */
  async function secretSince({ apiKeyId }: UserCaller, body: Buffer): Promise<string | null> {
    if (!body.includes('"signature"')) return null
    const [row] = await db.run(GET_SIGNATURE_SECRET, [apiKeyId])
    return open('signature_secret_sealed', apiKeyId, row?.sealed ?? null)
  }

  return {
    /** Returns the provider of the API key; undefined if it is off or has no URL. */
    async find({ apiKeyId }: UserCaller): Promise<Provider | undefined> {
      const [row] = await db.run(GET_PERMISSION_PROVIDER, [apiKeyId])
      if (row === undefined) return undefined
      const { tokenSealed, secretSealed, ...provider } = row
      const token = open('permission_provider_token_sealed', apiKeyId, tokenSealed) ?? ''
      return { ...provider, token, tokenSealed, secret: open('signature_secret_sealed', apiKeyId, secretSealed) }
    },

    /**
     * Returns the roles that the provider grants the caller on the resources, in one request. Throws `ProviderFailed`
     * if it gives no answer in time, or an answer that the protocol does not allow. Holds no connection to the database
     * while it waits.
     */
    async ask(
      caller: UserCaller,
      { url, token, secret, hasCommenter, now }: Provider,
      resources: readonly AskedResource[],
    ): Promise<ProvidedGrant[]> {
      const { workspaceId, userId } = caller
      const request = { headers: headersOf(token, `Commonhold/${version}`), body: bodyOf(userId, resources) }
      const deadline = performance.now() + TOTAL_MS
      const answer = await inTurn(slots, workspaceId, () => tries(outbound, url, request, deadline))
      const body = bodyIn(answer)
      const isSignedBy = isSignature(secret ?? (await secretSince(caller, body)))
      return grantsIn(body, { resources, userId, hasCommenter, now, isSignedBy })
    },

    close: () => outbound.close(),
  }
}

const headersOf = (token: string, userAgent: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': userAgent,
  ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
})

const bodyOf = (userId: string, resources: readonly AskedResource[]): string =>
  JSON.stringify({
    data: { requests: resources.map((resource) => ({ userId, resource: { ...resource, source: 'identify' } })) },
  })

/** Runs `work` in a slot of the workspace. The turn must come in the time of a question. */
async function inTurn<Result>(slots: FairSlots, tenant: string, work: () => Promise<Result>): Promise<Result> {
  let began = false
  const waiting = new Lifetime({ name: 'permission provider', tenant, timeoutMs: TOTAL_MS, charge() {} })
  const begun = () => {
    began = true
    return work()
  }
  try {
    return await waiting.run(() => slots.run(tenant, begun))
  } catch (error) {
    if (began) throw error
    throw new ProviderFailed('busy', 'has not yet answered the earlier questions of this workspace')
  }
}

/** Tries once, and again after a failure that may be over. */
async function tries(
  outbound: Outbound,
  url: string,
  request: { headers: Record<string, string>; body: string },
  deadline: number,
): Promise<OutboundAnswer> {
  const left = () => Math.max(Math.round(deadline - performance.now()), 1)
  const ask = (timeoutMs: number) => outbound.ask(url, { ...request, timeoutMs, responseBytesMax: RESPONSE_BYTES_MAX })
  const first = await ask(Math.min(left(), FIRST_TRY_MS))
  if (!isTransient(first) || left() <= PAUSE_MS) return first
  await sleep(PAUSE_MS)
  return ask(left())
}

/** A refused address and a response that is too long are not retried, because they would fail again. */
const LASTING = ['address_not_allowed', 'response_too_large', 'response_encoded']

const isTransient = ({ status, error }: OutboundAnswer): boolean =>
  error === null ? status === 429 || (status ?? 0) >= 500 : !LASTING.includes(error)

/** Returns the body of a response. Names no address: the caller is a user. */
function bodyIn({ status, error, body }: OutboundAnswer): Buffer {
  if (error === 'timeout') throw new ProviderFailed('timeout', `did not answer within ${TOTAL_MS / 1000} seconds`)
  if (error === 'address_not_allowed')
    throw new ProviderFailed('address_not_allowed', 'has an internal address, which the operator has not allowed')
  if (error === 'response_too_large')
    throw new ProviderFailed('too_large', `sent a response of more than ${RESPONSE_BYTES_MAX / 2 ** 20} MiB`)
  if (error === 'response_encoded')
    throw new ProviderFailed('encoded', 'sent a compressed response, which was not asked for')
  if (error !== null) throw new ProviderFailed('not_reached', `was not reached: ${error}`)
  if (Math.floor((status ?? 0) / 100) === 3)
    throw new ProviderFailed('redirect', `responded with a redirect (${status}), which is not followed`)
  if (status !== 200) throw new ProviderFailed('status', `responded with the status ${status}`)
  return body
}
