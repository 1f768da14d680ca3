/**
 * Creates, renames, disables and lists API keys (rules/keys.md#api-keys, rules/keys.md#disabling-and-deleting-keys).
 * `deletion.ts` deletes them.
 */

import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type DataOf, SCOPES } from '#contract/core/operation.ts'
import type { Warning } from '#contract/core/warnings.ts'
import type { ApiKeySummary, deleteApiKey, disableApiKey, getApiKeys, updateApiKey } from '#contract/keys/api-keys.ts'
import { createSigningKeys } from '#features/signing-keys/shared.ts'
import { createBasicWebhooks } from '#features/webhooks/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import { createToken, tokenHash } from '#platform/secrets/tokens.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Actor, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { originOf } from '#tenancy/callers/token-records.ts'
import { startFollowing } from '#tenancy/events/feed.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { inNameOrder, scopeOf } from '#tenancy/name-order.ts'
import { apiKeySealContext, changeApiKey } from '#tenancy/writes/api-key.ts'
import { holdCaller, LOCK_WORKSPACE } from '#tenancy/writes/workspace.ts'
import { deleteKey } from './deletion.ts'
import {
  allowedDomains,
  defaultKeyName,
  emailSettings,
  hasCommenterRole,
  type NewApiKey,
  notificationSettings,
  planOf,
  requireOwnWorkspace,
  requirePlan,
} from './new-key.ts'
import {
  COUNT_PRODUCTION_KEYS,
  DISABLE_API_KEY,
  GET_API_KEYS,
  GET_API_KEYS_BY_NAME,
  INSERT_API_KEY,
  RENAME_API_KEY,
} from './statements.ts'

const DEFAULT_TOKEN_NAME = 'Default Auth Token'

export function createApiKeys({ config, db, home, bucket, buckets, sealer, pageTokens, use }: Kernel) {
  const productionKeysPerWorkspace = config.PRODUCTION_KEYS_PER_WORKSPACE
  const signingKeys = use(createSigningKeys)
  const webhooks = use(createBasicWebhooks)

  /** Writes a key with its signing key, its auth token if requested, and its events, in the given transaction. */
  async function insert(
    session: Session,
    workspaceId: WorkspaceId,
    actor: Actor,
    key: NewApiKey,
  ): Promise<{ apiKey: ApiKeyId; authToken?: string }> {
    const apiKey = createToken(key.type === 'production' ? 'chk_live_' : 'chk_test_') as ApiKeyId
    const authToken = key.createAuthToken ? createToken('cht_') : undefined
    const name = key.apiKeyName ?? defaultKeyName(key.ownerEmail, key.type)
    const domains = allowedDomains(key)
    const { defaultDocumentAccessType = 'public', defaultAccessRole = 'editor' } = key
    const hasCommenter = hasCommenterRole(key)
    const seal = (column: Parameters<typeof apiKeySealContext>[0], secret: string | undefined) =>
      secret === undefined || secret === '' ? null : sealer.seal(secret, apiKeySealContext(column, apiKey))
    const { apiKey: emailKey, ...emailConfig } = emailSettings(key)
    const { authToken: webhookToken, ...webhookConfig } = webhooks.check(key.webhookServiceConfig ?? {})
    const signing = await signingKeys.generate(apiKey)
    const [inserted] = await session.run(INSERT_API_KEY, [
      apiKey,
      workspaceId,
      key.type,
      name,
      key.ownerEmail,
      JSON.stringify(planOf(key)),
      domains,
      key.requireKnownResources ?? false,
      key.useEmailService ?? false,
      JSON.stringify(emailConfig),
      seal('email_service_key_sealed', emailKey),
      key.useWebhookService ?? false,
      JSON.stringify(webhookConfig),
      seal('webhook_service_token_sealed', webhookToken),
      authToken === undefined ? null : tokenHash(authToken),
      DEFAULT_TOKEN_NAME,
      authToken === undefined
        ? null
        : sealer.seal(authToken, { column: 'auth_tokens.token_sealed', row: tokenHash(authToken).toString('hex') }),
      signing.kid,
      JSON.stringify(signing.publicJwk),
      signing.privateKeySealed,
      defaultDocumentAccessType,
      defaultAccessRole,
      key.requireAutoOrgUser ?? false,
      JSON.stringify(originOf('with_api_key', actor)),
      notificationSettings(key),
      key.enablePrivateComments ?? false,
      hasCommenter,
    ])
    if (key.useEmailService) await startFollowing(session, 'mail', apiKey)
    await webhooks.created(session, apiKey, key.useWebhookService ?? false, webhookConfig)
    const created = { workspaceId, apiKeyId: apiKey, actor }
    await recordStreamEvents(session, [
      {
        type: 'api_key.created',
        ...created,
        after: {
          name,
          type: key.type,
          ownerEmail: key.ownerEmail,
          allowedDomains: domains,
          defaultDocumentAccessType,
          defaultAccessRole,
        },
      },
      ...(authToken === undefined
        ? []
        : [
            {
              type: 'auth_token.created' as const,
              ...created,
              after: { id: inserted?.authTokenId, name: DEFAULT_TOKEN_NAME, scopes: SCOPES },
            },
          ]),
    ])
    return { apiKey, ...(authToken === undefined ? {} : { authToken }) }
  }

  /**
   * Writes a new key to its bucket, and its place to the home database in the given transaction. The key exists once
   * that transaction commits: a crash before that leaves a key in the bucket that nobody knows.
   */
  async function insertPlaced(session: Session, workspaceId: WorkspaceId, actor: Actor, key: NewApiKey) {
    const place = await buckets.kernelForNewKey(session, key.persistenceDBRegion || undefined)
    if (place.bucket === undefined) return insert(session, workspaceId, actor, key)
    const there = place.use(createApiKeys)
    const created = await place.db.transaction((inBucket) => there.insert(inBucket, workspaceId, actor, key))
    await buckets.place(session, { apiKeyId: created.apiKey, workspaceId, bucket: place.bucket, type: key.type })
    return created
  }

  return {
    insert,
    insertPlaced,

    async create(caller: WorkspaceCaller, key: NewApiKey): Promise<{ apiKey: ApiKeyId; authToken?: string }> {
      if (config.STRICT_FIELDS) requirePlan(key)
      requireOwnWorkspace(key, caller.workspaceId)
      return home.transaction(async (session) => {
        if (key.type === 'production' && productionKeysPerWorkspace > 0) {
          await session.run(LOCK_WORKSPACE, [caller.workspaceId])
          const [counted] = await session.run(COUNT_PRODUCTION_KEYS, [caller.workspaceId])
          const elsewhere = await buckets.countProduction(session, caller.workspaceId)
          if ((counted?.count ?? 0) + elsewhere >= productionKeysPerWorkspace)
            throw new StatusError(
              'RESOURCE_EXHAUSTED',
              'too_many_production_keys',
              `This installation allows ${productionKeysPerWorkspace} production keys for each workspace.`,
            )
        }
        const requireRoleFor = await holdCaller(session, caller)
        requireRoleFor(key.type)
        return insertPlaced(session, caller.workspaceId, caller.actor, key)
      })
    },

    async update(caller: WorkspaceCaller, { apiKey, apiKeyName }: DataOf<typeof updateApiKey>): Promise<void> {
      await changeApiKey(db, caller, apiKey, async (session) => {
        const [renamed] = await session.run(RENAME_API_KEY, [apiKey, apiKeyName])
        if (renamed === undefined) return
        await recordStreamEvents(session, [
          {
            type: 'api_key.updated',
            workspaceId: caller.workspaceId,
            apiKeyId: apiKey,
            actor: caller.actor,
            before: { name: renamed.before },
            after: { name: apiKeyName },
          },
        ])
      })
    },

    async setDisabled(
      caller: WorkspaceCaller,
      { apiKey }: DataOf<typeof disableApiKey>,
      disabled: boolean,
    ): Promise<void> {
      await changeApiKey(db, caller, apiKey, async (session) => {
        const [changed] = await session.run(DISABLE_API_KEY, [apiKey, disabled])
        if (changed === undefined) return
        const { workspaceId, actor } = caller
        const type = disabled ? 'api_key.disabled' : 'api_key.enabled'
        await recordStreamEvents(session, [{ type, workspaceId, apiKeyId: apiKey, actor }])
      })
    },

    async delete(caller: WorkspaceCaller, data: DataOf<typeof deleteApiKey>): Promise<void> {
      const forget = async () => {
        const { workspaceId } = caller
        if (bucket !== undefined) await buckets.forget({ apiKeyId: data.apiKey, workspaceId, bucket })
      }
      await deleteKey(db, caller, data).catch(async (error: unknown) => {
        // A process may have been killed before it forgot the place of a key that it had deleted.
        if (error instanceof StatusError && error.status === 'NOT_FOUND') await forget()
        throw error
      })
      await forget()
    },

    async get(
      caller: WorkspaceCaller,
      {
        apiKeys,
        query,
        orderBy = 'id',
        leaveOutUnavailable: leavesOut = false,
        pageSize = LIMITS.keysPageSizeMax,
        pageToken,
      }: DataOf<typeof getApiKeys>,
    ): Promise<Paged<ApiKeySummary[]> & { warnings?: Warning[] }> {
      const scope = ['api-keys.get', caller.workspaceId, apiKeys ?? null, query ?? null, ...scopeOf(orderBy)]
      const after = pageTokens.decode(scope, pageToken)
      const everywhere = <Row extends { id: string }>(statement: Statement<Row>) =>
        buckets.readKeys(
          caller.workspaceId,
          async ({ kernel, apiKeys, has }) => {
            const values = [caller.workspaceId, apiKeys, after, pageSize + 1, query ?? null]
            return (await kernel.db.run(statement, values)).filter(({ id }) => has(id))
          },
          { named: apiKeys, leavesOut },
        )
      if (orderBy !== 'id') {
        const { found, ...warned } = await everywhere(GET_API_KEYS_BY_NAME[orderBy])
        const sorted = found.length === 1 ? found.flat() : inNameOrder(found.flat(), orderBy)
        const { page, next } = pageTokens.cut(scope, sorted, pageSize, ({ position }) => position)
        return { data: page.map(({ position: _, ...key }) => key), ...next, ...warned }
      }
      const { found, ...warned } = await everywhere(GET_API_KEYS)
      const rows = found.flat()
      const sorted = found.length === 1 ? rows : rows.sort((one, other) => (one.id < other.id ? -1 : 1))
      const { page, next } = pageTokens.cut(scope, sorted, pageSize, ({ id }) => id)
      return { data: page, ...next, ...warned }
    },
  }
}
