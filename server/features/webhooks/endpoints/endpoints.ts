/** Manages the signed webhook endpoints of an API key and their secrets (rules/events.md#signed-endpoints). */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { EventType } from '#contract/events/events.ts'
import type {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
  WebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import type { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { assertOutgoingUrl } from '#platform/outbound/outgoing-url.ts'
import type { PageTokens } from '#platform/secrets/page-token.ts'
import type { SealContext, Sealer } from '#platform/secrets/seal.ts'
import { randomBase62 } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import {
  COUNT_WEBHOOK_ENDPOINTS,
  CREATE_WEBHOOK_ENDPOINT,
  DELETE_WEBHOOK_ENDPOINT,
  DROP_IDLE_DELIVERIES,
  type EndpointRow,
  GET_WEBHOOK_ENDPOINT,
  GET_WEBHOOK_SETTINGS,
  LIST_WEBHOOK_ENDPOINTS,
  LIST_WEBHOOK_ENDPOINTS_BEFORE,
  ROTATE_WEBHOOK_SECRET,
  UPDATE_WEBHOOK_ENDPOINT,
} from './endpoint-statements.ts'
import { readHealth } from './health.ts'
import { endpointOf, inEvent, listedEndpoints } from './records.ts'
import { tooManyEndpoints, uidTaken } from './refusals.ts'

export interface WebhookEndpointsDeps {
  db: Db
  sealer: Sealer
  pageTokens: PageTokens
  allowPrivate: boolean
}

const SECRET_BYTES = 32
const ID_CHARACTERS = 27
const GRACE_PERIOD_SECONDS = 24 * 60 * 60

export function createWebhookEndpoints({ db, sealer, pageTokens, allowPrivate }: WebhookEndpointsDeps) {
  const newSecret = (endpointId: string) => {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
    return { secret, sealed: sealer.seal(secret, secretPlace(endpointId)) }
  }

  /** Runs a change of signed endpoints under the lock of the key. */
  const change = <T>(caller: Caller, work: (session: Session) => Promise<T>): Promise<T> =>
    changeApiKey(
      db,
      caller,
      caller.apiKeyId,
      async (session) => {
        await requireEnabled(session, caller)
        return work(session)
      },
      credentialsInvalid,
    )

  const record = (session: Session, caller: Caller, type: EventType, states: { before?: object; after?: object }) => {
    const { apiKeyId, workspaceId, actor } = caller
    return recordStreamEvents(session, [{ type, workspaceId, apiKeyId, actor, ...states }])
  }

  return {
    async create(caller: Caller, data: DataOf<typeof createWebhookEndpoint>): Promise<WebhookEndpoint> {
      const { url, description = null, filterTypes = null, channels = null, disabled = false } = data
      const { rateLimit = null, uid = null, metadata = {} } = data
      assertOutgoingUrl('url', url, allowPrivate)
      return change(caller, async (session) => {
        const [existing] = await session.run(COUNT_WEBHOOK_ENDPOINTS, [caller.apiKeyId])
        if ((existing?.count ?? 0) >= LIMITS.webhookEndpointsPerKeyMax) throw tooManyEndpoints()
        const id = `ep_${randomBase62(ID_CHARACTERS)}`
        const texts = [id, url, description, filterTypes, channels, disabled, rateLimit, uid, JSON.stringify(metadata)]
        const [row] = await session.run(CREATE_WEBHOOK_ENDPOINT, [caller.apiKeyId, ...texts, newSecret(id).sealed])
        if (row === undefined) throw uidTaken()
        await record(session, caller, 'webhook_endpoint.created', { after: inEvent(row) })
        return endpointOf(row)
      })
    },

    async get(caller: Caller, data: DataOf<typeof getWebhookEndpoints>): Promise<ResultOf<typeof getWebhookEndpoints>> {
      await requireEnabled(db, caller)
      const { limit = LIMITS.webhookEndpointsPageSizeMax, iterator: given } = data
      const scope = ['webhook-endpoints.get', caller.apiKeyId]
      const cursor = pageTokens.decode(scope, given, 'iterator')
      const isBack = cursor?.startsWith('<') ?? false
      const values = [caller.apiKeyId, cursor?.slice(1) ?? '', limit + 1]
      const rows = await db.run(isBack ? LIST_WEBHOOK_ENDPOINTS_BEFORE : LIST_WEBHOOK_ENDPOINTS, values)
      const page = isBack ? rows.slice(0, limit).reverse() : rows.slice(0, limit)
      const hasNext = rows.length > limit
      const hasBefore = isBack ? hasNext : cursor !== null
      const hasMore = isBack || hasNext
      const cursorTo = (sign: '<' | '>', row: EndpointRow | undefined) =>
        row === undefined ? null : pageTokens.encode(scope, sign + row.id)
      return {
        endpoints: listedEndpoints(
          page,
          await readHealth(
            db,
            page.map(({ endpointKey }) => endpointKey),
          ),
        ),
        iterator: hasMore ? cursorTo('>', page.at(-1)) : null,
        prevIterator: hasBefore ? cursorTo('<', page[0]) : null,
        done: !hasMore,
      }
    },

    async update(caller: Caller, data: DataOf<typeof updateWebhookEndpoint>): Promise<WebhookEndpoint> {
      const { endpointId, ...given } = data
      if (Object.keys(given).length === 0)
        throw invalidArgument([
          { field: 'data', message: 'data must have at least one field in addition to endpointId' },
        ])
      assertOutgoingUrl('url', given.url, allowPrivate)
      return change(caller, async (session) => {
        const before = await signedEndpoint(session, caller, endpointId)
        const after = { ...before, ...given }
        if (isDeepStrictEqual(before, after)) return endpointOf(before)
        const { url, description, filterTypes, channels, rateLimit, metadata, disabled } = after
        const texts = [url, description, filterTypes, channels, rateLimit, JSON.stringify(metadata), disabled]
        const [row = before] = await session.run(UPDATE_WEBHOOK_ENDPOINT, [before.endpointKey, ...texts])
        if (disabled) await session.run(DROP_IDLE_DELIVERIES, [caller.apiKeyId])
        const states = { before: inEvent(before), after: inEvent(row) }
        await record(session, caller, 'webhook_endpoint.updated', states)
        return endpointOf(row)
      })
    },

    delete: (caller: Caller, { endpointId }: DataOf<typeof deleteWebhookEndpoint>) =>
      change(caller, async (session) => {
        const before = await signedEndpoint(session, caller, endpointId)
        await session.run(DELETE_WEBHOOK_ENDPOINT, [before.endpointKey])
        await record(session, caller, 'webhook_endpoint.deleted', { before: inEvent(before) })
        return { endpointId, deleted: true }
      }),

    async getSecret(caller: Caller, { endpointId }: DataOf<typeof getWebhookSecret>) {
      await requireEnabled(db, caller)
      const { secretSealed } = await signedEndpoint(db, caller, endpointId)
      await record(db, caller, 'webhook_endpoint.secret_shown', { after: { endpointId } })
      return { endpointId, secret: sealer.open(secretSealed, secretPlace(endpointId)) }
    },

    rotateSecret: (caller: Caller, data: DataOf<typeof rotateWebhookSecret>) =>
      change(caller, async (session) => {
        const { endpointId, gracePeriodSeconds = GRACE_PERIOD_SECONDS } = data
        const { endpointKey } = await signedEndpoint(session, caller, endpointId)
        const { secret, sealed } = newSecret(endpointId)
        await session.run(ROTATE_WEBHOOK_SECRET, [endpointKey, sealed, gracePeriodSeconds])
        await record(session, caller, 'webhook_endpoint.secret_rotated', {
          after: { endpointId, gracePeriodSeconds },
        })
        return { endpointId, secret }
      }),
  }
}

/** Returns the place of an endpoint's secrets, current and previous. */
export const secretPlace = (endpointId: string): SealContext => ({
  column: 'webhook_endpoints.secret_sealed',
  row: endpointId,
})

/** Refuses calls about signed endpoints while they are disabled. */
export async function requireEnabled(session: Session, { apiKeyId }: Caller): Promise<void> {
  const [settings] = await session.run(GET_WEBHOOK_SETTINGS, [apiKeyId])
  if (settings?.isEnabled) return
  const was = settings === undefined ? 'were never enabled' : 'are disabled'
  throw new StatusError(
    'FAILED_PRECONDITION',
    'advanced_webhooks_disabled',
    `Signed webhooks ${was}; call workspace/advancedwebhookconfig/update with isEnabled: true.`,
  )
}

async function signedEndpoint(session: Session, { apiKeyId }: Caller, endpointId: string) {
  const [row] = await session.run(GET_WEBHOOK_ENDPOINT, [apiKeyId, endpointId])
  if (row?.secretSealed == null) throw endpointDoesNotExist()
  return { ...row, secretSealed: row.secretSealed }
}

export const endpointDoesNotExist = () =>
  new StatusError('NOT_FOUND', 'webhook_endpoint_does_not_exist', 'The API key has no such webhook endpoint.')
