/** Reads and updates the settings of single sign-on of a workspace (rules/operators.md#single-sign-on). */

import { isDeepStrictEqual } from 'node:util'
import { foldedAddress, isMailDomain } from '#contract/core/addresses.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { SsoConfig, SsoRoleRule, testSsoConfig, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import { limitCompanySessions } from '#features/operators/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { assertOutgoingUrl } from '#platform/outbound/outgoing-url.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeAccess } from '#tenancy/writes/workspace.ts'
import { type DomainRow, GET_SSO_DOMAINS, SET_SSO_DOMAINS } from './domain-statements.ts'
import { shownDomain, storedDomains } from './domains.ts'
import { type ConfigRow, GET_SSO_CONFIG, SET_SSO_CONFIG } from './statements.ts'

const UNSET: ConfigRow = { enabled: false, issuer: '', clientId: '', sealed: null, roles: [] }

const sealContext = (workspaceId: WorkspaceId) => ({ column: 'sso_configs.client_secret_sealed', row: workspaceId })

export type SsoConfigs = ReturnType<typeof createSsoConfigs>

export function createSsoConfigs({ config, db, publicUrl, sealer }: Kernel) {
  /** Each workspace has one of its own, so that its provider never gets the code of another provider (ADR 0046). */
  const redirectUri = (workspaceId: WorkspaceId): string =>
    `${publicUrl()}/console/oidc/callback/${encodeURIComponent(workspaceId)}`

  function configOf(workspaceId: WorkspaceId, { sealed, ...row }: ConfigRow, domains: DomainRow[]): SsoConfig {
    const verified = domains.find(({ verifiedAt }) => verifiedAt !== null)?.domain
    return {
      ...row,
      hasClientSecret: sealed !== null,
      redirectUri: redirectUri(workspaceId),
      domains: domains.map((domain) => shownDomain(workspaceId, domain)),
      signInUrl: `${publicUrl()}/console/sign-in/${encodeURIComponent(verified ?? workspaceId)}`,
    }
  }

  const secretOf = ({ sealed }: ConfigRow, workspaceId: WorkspaceId): string =>
    sealed === null ? '' : sealer.open(sealed, sealContext(workspaceId))

  async function read(session: Session, workspaceId: WorkspaceId): Promise<ConfigRow> {
    const [row = UNSET] = await session.run(GET_SSO_CONFIG, [workspaceId])
    return row
  }

  function changed(before: ConfigRow, data: Changes, workspaceId: WorkspaceId): ConfigRow {
    const { clientSecret, ...given } = data
    const after = { ...before, ...given }
    // The secret is write-only: it must not be sent to an issuer that somebody names later.
    if (after.issuer !== before.issuer) after.sealed = null
    if (clientSecret !== undefined && clientSecret !== secretOf(after, workspaceId))
      after.sealed = clientSecret === '' ? null : sealer.seal(clientSecret, sealContext(workspaceId))
    return { ...after, roles: after.roles.map(stored) }
  }

  const active = (row: ConfigRow, workspaceId: WorkspaceId): ActiveConfig => {
    const { issuer, clientId, roles } = row
    return { issuer, clientId, roles, clientSecret: secretOf(row, workspaceId) }
  }

  function check({ issuer, roles = [] }: Changes): void {
    checkIssuer(issuer, config.WEBHOOK_ALLOW_PRIVATE)
    checkRules(roles)
  }

  return {
    redirectUri,

    async get({ workspaceId }: WorkspaceCaller): Promise<SsoConfig> {
      return configOf(workspaceId, await read(db, workspaceId), await db.run(GET_SSO_DOMAINS, [workspaceId]))
    },

    update(caller: WorkspaceCaller, { domains, ...data }: DataOf<typeof updateSsoConfig>): Promise<SsoConfig> {
      check(data)
      const named = domains && storedDomains(domains)
      return changeAccess(db, caller, 'owner', async (session) => {
        const { workspaceId, actor } = caller
        const before = await read(session, workspaceId)
        const after = changed(before, data, workspaceId)
        if (after.enabled && (after.issuer === '' || after.clientId === '')) throw incomplete()
        const values = [after.enabled, after.issuer, after.clientId, after.sealed, JSON.stringify(after.roles)]
        await session.run(SET_SSO_CONFIG, [workspaceId, ...values])
        await limitCompanySessions(session, workspaceId)
        const domainsBefore = await session.run(GET_SSO_DOMAINS, [workspaceId])
        if (named !== undefined) await session.run(SET_SSO_DOMAINS, [workspaceId, named])
        const domainsAfter = await session.run(GET_SSO_DOMAINS, [workspaceId])
        const change = { before: inEvent(before, domainsBefore), after: inEvent(after, domainsAfter) }
        if (!isDeepStrictEqual([before, change.before.domains], [after, change.after.domains]))
          await recordStreamEvents(session, [{ type: 'sso_config.updated', workspaceId, actor, ...change }])
        return configOf(workspaceId, after, domainsAfter)
      })
    },

    /** Returns the settings with which operators would sign in if the changes were saved. Nothing is. */
    async preview({ workspaceId }: WorkspaceCaller, data: DataOf<typeof testSsoConfig>): Promise<ActiveConfig> {
      check(data)
      return active(changed(await read(db, workspaceId), data, workspaceId), workspaceId)
    },

    /** Returns the settings with which operators of the workspace can sign in now; undefined if they cannot. */
    async find(session: Session, workspaceId: WorkspaceId): Promise<ActiveConfig | undefined> {
      const row = await read(session, workspaceId)
      return row.enabled ? active(row, workspaceId) : undefined
    },
  }
}

type Changes = Omit<DataOf<typeof updateSsoConfig>, 'domains'>

export interface ActiveConfig extends Pick<ConfigRow, 'issuer' | 'clientId' | 'roles'> {
  /** Empty if there is none. */
  clientSecret: string
}

const inEvent = ({ sealed, ...row }: ConfigRow, domains: readonly DomainRow[]) => ({
  ...row,
  hasClientSecret: sealed !== null,
  domains: domains.map(({ domain }) => domain),
})

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
    if ((group === undefined) === (emailDomain === undefined))
      return [{ field, message: `${field} must have exactly one of group and emailDomain` }]
    // A rule that never matches would leave its accounts to a later one, which may give more.
    const at = `${field}.emailDomain`
    return emailDomain === undefined || isMailDomain(emailDomain)
      ? []
      : [{ field: at, message: `${at} must be a whole domain of e-mail addresses, such as example.com` }]
  })
  if (faults.length > 0) throw invalidArgument(faults)
}

const incomplete = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'sso_config_incomplete',
    'Single sign-on needs issuer and clientId. Set both, then switch it on.',
  )
