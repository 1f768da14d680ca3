/** Creates and reads workspaces (rules/keys.md#sign-up). */

import { createHash, timingSafeEqual } from 'node:crypto'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { foldedAddress } from '#contract/core/addresses.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { ApiKeySummary } from '#contract/keys/api-keys.ts'
import type { createWorkspace, Workspace } from '#contract/workspace/workspaces.ts'
import { createApiKeys } from '#features/api-keys/shared.ts'
import { createOperators } from '#features/operators/shared.ts'
import { createWorkspaceTokens } from '#features/workspace-tokens/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, invalidArgument, StatusError } from '#platform/status-error.ts'
import type { PublicCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import {
  COUNT_WORKSPACES,
  GET_WORKSPACE,
  HAS_WORKSPACE,
  INSERT_WORKSPACE,
  LIST_KEYS,
  LOCK_OWNER,
  type WorkspaceRow,
} from './statements.ts'

let disposableDomains: Set<string> | undefined

/** The set is built at the first sign-up. The package's own check of an address builds it each time. */
function isDisposable(email: string): boolean {
  disposableDomains ??= disposableEmailBlocklistSet()
  return disposableDomains.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

export function createWorkspaces({ config, db, buckets, use }: Kernel) {
  const apiKeys = use(createApiKeys)
  const signup: Signup = { mode: config.SIGNUP, token: config.SIGNUP_TOKEN }
  const tokens = use(createWorkspaceTokens)
  const operators = use(createOperators)

  async function read(session: Session, workspaceId: WorkspaceId, authToken: string): Promise<Workspace> {
    const [row] = await session.run(GET_WORKSPACE, [workspaceId])
    if (row === undefined) throw credentialsInvalid()
    const { found } = await buckets.readKeys(
      workspaceId,
      async ({ kernel, has }) => {
        const rows = await (kernel.db === db ? session : kernel.db).run(LIST_KEYS, [workspaceId])
        return rows.filter(({ id }) => has(id))
      },
      { session },
    )
    // Their order does not say in which database they are.
    const keys = found.flat().sort((one, other) => (one.id < other.id ? -1 : 1))
    return workspaceOf(workspaceId, row, keys, authToken)
  }

  async function insert(session: Session, caller: PublicCaller, data: NewWorkspace): Promise<Workspace> {
    const { ownerEmail } = data
    const ownerId = ownerIdOf(ownerEmail)
    const workspaceId = createWorkspaceId()
    const name = data.workspaceName ?? `${data.name ?? ownerEmail} workspace`
    await session.run(LOCK_OWNER, [ownerId])
    const [counted] = await session.run(COUNT_WORKSPACES, [ownerId])
    if ((counted?.count ?? 0) >= LIMITS.workspacesPerEmailMax)
      throw new StatusError(
        'RESOURCE_EXHAUSTED',
        'too_many_workspaces',
        `An e-mail address can own at most ${LIMITS.workspacesPerEmailMax} workspaces; this one has reached the limit.`,
      )
    const owner = [ownerId, ownerEmail, data.name ?? ownerEmail, data.avatar ?? '']
    await session.run(INSERT_WORKSPACE, [workspaceId, name, ...owner])
    const { token } = await tokens.insert(session, workspaceId, { origin: { how: 'with_workspace' } })
    await operators.insertOwner(session, workspaceId, { email: ownerEmail, name: data.name ?? ownerEmail })
    await recordStreamEvents(session, [
      { type: 'workspace.created', workspaceId, actor: caller.actor, after: { name, ownerEmail } },
    ])
    const { defaultDocumentAccessType } = data
    await apiKeys.insertPlaced(session, workspaceId, caller.actor, {
      ...{ ownerEmail, type: 'testing', createAuthToken: true },
      ...(defaultDocumentAccessType === undefined ? {} : { defaultDocumentAccessType }),
    })
    return read(session, workspaceId, token)
  }

  return {
    /** Returns the workspace with the token of the caller, who has none if it is an operator. */
    get: async (caller: WorkspaceCaller): Promise<Workspace> =>
      read(db, caller.workspaceId, (await tokens.ofCaller(db, caller)) ?? ''),

    /** Refuses callers who may not sign up, before the body is read. */
    admit: (caller: PublicCaller): void => requireSignup(signup, caller),

    async create(caller: PublicCaller, data: NewWorkspace): Promise<Workspace> {
      if (signup.mode !== 'token' && isDisposable(data.ownerEmail))
        throw invalidArgument(
          [{ field: 'ownerEmail', message: 'ownerEmail must not be an address of a disposable e-mail service' }],
          'email_domain_refused',
        )
      return db.transaction((session) => insert(session, caller, data))
    },

    /** Whether the installation has a workspace. */
    hasAny: async (): Promise<boolean> => (await db.run(HAS_WORKSPACE))[0]?.found === true,

    /**
     * Creates the first workspace of the installation, and runs `enter` in its transaction; undefined if there is one:
     * of several calls, one creates it.
     */
    createFirst: <T>(
      caller: PublicCaller,
      data: NewWorkspace,
      enter: (session: Session, workspace: Workspace) => Promise<T>,
    ): Promise<T | undefined> =>
      db.transaction(async (session) => {
        await session.run(LOCK_OWNER, ['first workspace'])
        const [row] = await session.run(HAS_WORKSPACE)
        return row?.found === true ? undefined : enter(session, await insert(session, caller, data))
      }),
  }
}

type NewWorkspace = DataOf<typeof createWorkspace>

/** Returns a new identifier of 32 lower-case hex digits. It is not a secret. */
const createWorkspaceId = (): WorkspaceId => crypto.randomUUID().replaceAll('-', '') as WorkspaceId

/** Returns the owner id of an address: equal addresses own a limited number of workspaces together. */
const ownerIdOf = (email: string): string =>
  createHash('sha256')
    .update(`owner\0${foldedAddress(email)}`)
    .digest('hex')
    .slice(0, 32)

interface Signup {
  mode: 'open' | 'token' | 'closed'
  token: string | undefined
}

function requireSignup({ mode, token }: Signup, caller: PublicCaller): void {
  if (mode === 'open') return
  if (mode === 'token') {
    const given = tokenHash(caller.signupToken ?? '')
    if (token !== undefined && timingSafeEqual(given, tokenHash(token))) return
    throw new StatusError(
      'PERMISSION_DENIED',
      'signup_token_wrong',
      "Creating a workspace on this server requires the operator's sign-up token in the signup-token header: SIGNUP_TOKEN, or with the embedded engine the token in operator.token in the server's data folder.",
    )
  }
  throw new StatusError(
    'PERMISSION_DENIED',
    'signup_closed',
    'Creating workspaces is closed; the operator can change that with the setting SIGNUP.',
  )
}

function workspaceOf(id: WorkspaceId, row: WorkspaceRow, apiKeys: ApiKeySummary[], authToken: string): Workspace {
  return {
    id,
    name: row.name,
    owner: { email: row.ownerEmail, id: row.ownerId, name: row.ownerName, avatar: row.ownerAvatar },
    authToken,
    apiKeyList: Object.fromEntries(apiKeys.map((key) => [key.id, key])),
  }
}
