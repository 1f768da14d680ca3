/**
 * Reads, updates and copies the settings of an API key for access and user tokens. Nothing is cached: changes take
 * effect with the next request.
 */
import { isDeepStrictEqual } from 'node:util'
import { accessRoles, rolesFault } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { createServiceConfigs } from '#features/service-configs/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { undone } from '#platform/db/undone.ts'
import { credentialsInvalid, invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, KeyOfActor, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { type Opened, publicByDefault } from '#tenancy/public-access.ts'
import { apiKeyDoesNotExist } from '#tenancy/refusals.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { accessRoleIsUnknown } from '#tenancy/writes/commenter.ts'
import { COUNT_BY_DEFAULT, COUNT_COMMENTERS, GET_KEY_CONFIG, type KeyConfigRow, SET_KEY_CONFIG } from './statements.ts'

/** The fields that later clients read, of features that cannot be switched. */
const FIXED = { requireJwtToken: true } as const

/** The resources that a call opens to everyone by the default that it sets; absent: none, or the call does not set it. */
interface Changed {
  warnings?: ReturnType<typeof publicByDefault>['warnings']
  opened?: Opened
}

type Settings = Omit<DataOf<typeof updateKeyConfig>, 'requireJwtToken' | 'dryRun'>

export function createKeyConfigs({ db, buckets, use }: Kernel) {
  const services = use(createServiceConfigs)
  return {
    async get({ apiKeyId, workspaceId }: Caller): Promise<ResultOf<typeof getKeyConfig>> {
      const [row] = await db.run(GET_KEY_CONFIG, [apiKeyId, workspaceId])
      if (row === undefined) throw credentialsInvalid()
      const { type, plan, enablePrivateComments: isPrivateCommentsEnabled, ...settings } = settingsOf(row)
      const planType = plan.planInfo?.type ?? (type === 'production' ? 'production' : 'sdk test')
      return { ...settings, planInfo: { type: planType }, ...FIXED, isPrivateCommentsEnabled }
    },

    async update(
      caller: Caller,
      { requireJwtToken, dryRun = false, ...data }: DataOf<typeof updateKeyConfig>,
    ): Promise<HandlerResult<ResultOf<typeof updateKeyConfig>>> {
      const given = { ...data, ...inOrder(data.accessRoles) }
      const work = orUndone(dryRun, (session) => change(session, caller, given))
      const changed = await changeApiKey(db, caller, caller.apiKeyId, work, credentialsInvalid)
      const fixed = requireJwtToken === undefined ? {} : { requireJwtToken: FIXED.requireJwtToken }
      return resultOf({ ...given, ...fixed }, changed, dryRun)
    },

    /** Gives one key of the workspace the settings of another (rules/keys.md#copied-settings). */
    async copy(
      caller: WorkspaceCaller,
      { sourceApiKey, targetApiKey, dryRun = false }: DataOf<typeof copyKeyConfig>,
    ): Promise<HandlerResult<ResultOf<typeof copyKeyConfig>>> {
      if (sourceApiKey === targetApiKey)
        throw invalidArgument([{ field: 'targetApiKey', message: 'targetApiKey must differ from sourceApiKey' }])
      const { db: sourceDb } = await buckets.kernelOf(sourceApiKey)
      const work = orUndone(dryRun, async (session) => {
        const { workspaceId, actor } = caller
        const from = sourceDb === db ? session : sourceDb
        const [source] = await from.run(GET_KEY_CONFIG, [sourceApiKey, workspaceId])
        if (source === undefined) throw apiKeyDoesNotExist()
        const { ownerEmail: _, plan: __, type: ___, ...settings } = settingsOf(source)
        const target = { apiKeyId: targetApiKey as ApiKeyId, workspaceId, actor }
        const changed = await change(session, target, settings)
        await services.copy(from, sourceApiKey, session, target)
        return changed
      })
      return resultOf({}, await changeApiKey(db, caller, targetApiKey, work), dryRun)
    },
  }
}

/** Returns work that is done, or only tried. */
const orUndone =
  <T>(dryRun: boolean, work: (session: Session) => Promise<T>) =>
  (session: Session): Promise<T> =>
    dryRun ? undone(session, () => work(session)) : work(session)

/** A preview says what the change would open; a change warns of it. */
function resultOf<Data extends object>(data: Data, { opened, ...warned }: Changed, dryRun: boolean) {
  if (!dryRun) return { data, ...warned }
  const openedByDefault = opened && { documents: opened.documents, isComplete: !opened.isCut }
  return { data: { ...data, dryRun, ...(openedByDefault && { openedByDefault }) } }
}

/** Sets the given settings of a key whose row is locked. Returns a warning if they make documents public by default. */
async function change(session: Session, key: KeyOfActor, given: Settings): Promise<Changed> {
  const settings = await set(session, key, given)
  const { defaultDocumentAccessType, defaultAccessRole } = settings
  const isSet = given.defaultDocumentAccessType !== undefined || given.defaultAccessRole !== undefined
  if (!isSet || defaultDocumentAccessType !== 'public') return {}
  const [opened] = await session.run(COUNT_BY_DEFAULT, [key.apiKeyId, LIMITS.documentsExaminedPerPageMax])
  const warned = publicByDefault({ defaultAccessType: defaultDocumentAccessType, defaultAccessRole }, opened)
  return { ...warned, ...(opened && { opened }) }
}

async function set(session: Session, { apiKeyId, workspaceId, actor }: KeyOfActor, given: Settings) {
  const [row] = await session.run(GET_KEY_CONFIG, [apiKeyId, workspaceId])
  if (row === undefined) throw credentialsInvalid()
  const stored = settingsOf(row)
  const settings = { ...stored, ...given }
  const hasCommenter = settings.accessRoles.includes('commenter')
  if (!hasCommenter && given.defaultAccessRole === 'commenter') throw accessRoleIsUnknown('defaultAccessRole')
  const changed = (Object.keys(given) as (keyof Settings)[]).filter(
    (name) => !isDeepStrictEqual(given[name], stored[name]),
  )
  if (changed.length === 0) return settings
  if (row.hasCommenter && !hasCommenter) await refuseIfUsed(session, apiKeyId, settings)
  await session.run(SET_KEY_CONFIG, [
    apiKeyId,
    settings.defaultDocumentAccessType,
    settings.defaultAccessRole,
    settings.requireKnownResources,
    settings.userTokenLifetimeSeconds,
    settings.expiringSoonSeconds,
    settings.requireAutoOrgUser,
    settings.enablePrivateComments,
    hasCommenter,
    settings.userSharing,
  ])
  const only = (from: Settings) => Object.fromEntries(changed.map((name) => [name, from[name]]))
  await recordStreamEvents(session, [
    { type: 'api_key.updated', workspaceId, apiKeyId, actor, before: only(stored), after: only(given) },
  ])
  return settings
}

const settingsOf = ({ hasCommenter, ...row }: KeyConfigRow) => ({ ...row, accessRoles: accessRoles(hasCommenter) })

/** Returns the roles of a call in their order, each once. Refuses a list without one of the roles that every key has. */
function inOrder(roles: Settings['accessRoles']): Pick<Settings, 'accessRoles'> {
  if (roles === undefined) return {}
  const fault = rolesFault(roles)
  if (fault !== undefined) throw invalidArgument([fault])
  return { accessRoles: accessRoles(roles.includes('commenter')) }
}

/** Refuses to drop the role `commenter` while something has it. Runs under the lock of the key. */
async function refuseIfUsed(
  session: Session,
  apiKeyId: ApiKeyId,
  { defaultAccessRole }: Pick<KeyConfigRow, 'defaultAccessRole'>,
): Promise<void> {
  const [used] = await session.run(COUNT_COMMENTERS, [apiKeyId])
  const { grants = 0, invitations = 0 } = used ?? {}
  const counted = (count: number, one: string) => (count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`])
  const users = [
    ...counted(grants, 'grant'),
    ...counted(invitations, 'pending invitation'),
    ...(defaultAccessRole === 'commenter' ? ['defaultAccessRole'] : []),
  ]
  if (users.length === 0) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    'access_role_in_use',
    `accessRoles must have "commenter" while it is in use: by ${new Intl.ListFormat('en').format(users)}.`,
    { details: { accessRole: 'commenter', grants, invitations, defaultAccessRole } },
  )
}
