/** Reads and updates the settings of single sign-on of a workspace (rules/operators.md#single-sign-on). */

import { isDeepStrictEqual } from 'node:util'
import { foldedAddress } from '#contract/core/addresses.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { SsoConfig, SsoRoleRule, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { assertOutgoingUrl } from '#platform/outbound/outgoing-url.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeAccess } from '#tenancy/writes/workspace.ts'
import { type ConfigRow, GET_SSO_CONFIG, SET_SSO_CONFIG } from './statements.ts'

const UNSET: ConfigRow = { enabled: false, issuer: '', clientId: '', sealed: null, roles: [] }

const sealContext = (workspaceId: WorkspaceId) => ({ column: 'sso_configs.client_secret_sealed', row: workspaceId })

export type SsoConfigs = ReturnType<typeof createSsoConfigs>

export function createSsoConfigs({ config, db, publicUrl, sealer }: Kernel) {
  const redirectUri = (): string => `${publicUrl()}/console/oidc/callback`

  const configOf = ({ sealed, ...row }: ConfigRow): SsoConfig => ({
    ...row,
    hasClientSecret: sealed !== null,
    redirectUri: redirectUri(),
  })

  const secretOf = ({ sealed }: ConfigRow, workspaceId: WorkspaceId): string =>
    sealed === null ? '' : sealer.open(sealed, sealContext(workspaceId))

  async function read(session: Session, workspaceId: WorkspaceId): Promise<ConfigRow> {
    const [row = UNSET] = await session.run(GET_SSO_CONFIG, [workspaceId])
    return row
  }

  function changed(before: ConfigRow, data: DataOf<typeof updateSsoConfig>, workspaceId: WorkspaceId): ConfigRow {
    const { clientSecret, ...given } = data
    const after = { ...before, ...given }
    // The secret is write-only: it must not be sent to an issuer that somebody names later.
    if (after.issuer !== before.issuer) after.sealed = null
    if (clientSecret !== undefined && clientSecret !== secretOf(after, workspaceId))
      after.sealed = clientSecret === '' ? null : sealer.seal(clientSecret, sealContext(workspaceId))
    return { ...after, roles: after.roles.map(stored) }
  }

  return {
    redirectUri,

    get: async ({ workspaceId }: WorkspaceCaller): Promise<SsoConfig> => configOf(await read(db, workspaceId)),

    update(caller: WorkspaceCaller, data: DataOf<typeof updateSsoConfig>): Promise<SsoConfig> {
      checkIssuer(data.issuer, config.WEBHOOK_ALLOW_PRIVATE)
      checkRules(data.roles ?? [])
      return changeAccess(db, caller, 'owner', async (session) => {
        const { workspaceId, actor } = caller
        const before = await read(session, workspaceId)
        const after = changed(before, data, workspaceId)
        if (after.enabled && (after.issuer === '' || after.clientId === '')) throw incomplete()
        const values = [after.enabled, after.issuer, after.clientId, after.sealed, JSON.stringify(after.roles)]
        await session.run(SET_SSO_CONFIG, [workspaceId, ...values])
        if (!isDeepStrictEqual(before, after))
          await recordStreamEvents(session, [
            { type: 'sso_config.updated', workspaceId, actor, before: inEvent(before), after: inEvent(after) },
          ])
        return configOf(after)
      })
    },

    /** Returns the settings with which operators of the workspace can sign in now; undefined if they cannot. */
    async find(session: Session, workspaceId: WorkspaceId): Promise<ActiveConfig | undefined> {
      const row = await read(session, workspaceId)
      if (!row.enabled) return undefined
      const { issuer, clientId, roles } = row
      return { issuer, clientId, roles, clientSecret: secretOf(row, workspaceId) }
    },
  }
}

export interface ActiveConfig extends Pick<ConfigRow, 'issuer' | 'clientId' | 'roles'> {
  /** Empty if there is none. */
  clientSecret: string
}

const inEvent = ({ sealed, ...row }: ConfigRow) => ({ ...row, hasClientSecret: sealed !== null })

const stored = ({ emailDomain, ...rule }: SsoRoleRule): SsoRoleRule =>
  emailDomain === undefined ? rule : { ...rule, emailDomain: foldedAddress(emailDomain) }

function checkIssuer(issuer: string | undefined, allowPrivate: boolean): void {
  assertOutgoingUrl('issuer', issuer, allowPrivate)
  if (issuer === undefined || issuer === '') return
  const { protocol, search, hash } = new URL(issuer)
  if (protocol !== 'https:' && !allowPrivate)
    throw invalidArgument([{ field: 'issuer', message: 'issuer must be an https URL' }])
  if (search !== '' || hash !== '')
    throw invalidArgument([{ field: 'issuer', message: 'issuer must not contain a query or a fragment' }])
}

function checkRules(rules: readonly SsoRoleRule[]): void {
  const faults = rules.flatMap(({ group, emailDomain }, index) => {
    const field = `roles[${index}]`
    return (group === undefined) === (emailDomain === undefined)
      ? [{ field, message: `${field} must have exactly one of group and emailDomain` }]
      : []
  })
  if (faults.length > 0) throw invalidArgument(faults)
}

const incomplete = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'sso_config_incomplete',
    'Single sign-on needs issuer and clientId. Set both, then switch it on.',
  )
