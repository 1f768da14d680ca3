/**
 * Tests a connection to a provider before it is saved or switched on: calls the provider, then leads through its
 * sign-in in a browser, and reports the result that a sign-in would have. All changes are rolled back: a test signs
 * nobody in (ADR 0046).
 */
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { SsoProblem, testSsoConfig } from '#contract/workspace/sso-config.ts'
import { findOperator, type ProvisionedOperator } from '#features/operators/shared.ts'
import type { Kernel } from '#kernel'
import { tokenHash } from '#platform/secrets/tokens.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { type Account, ruleFor } from './account.ts'
import { admit } from './admission.ts'
import { newSecret, secretsOf } from './browser.ts'
import type { ActiveConfig, SsoConfigs } from './config.ts'
import { SignInFailed, textsOf } from './failure.ts'
import { problem } from './problems.ts'
import type { Providers, SignInSecrets } from './provider.ts'
import { ADD_SSO_SIGN_IN, type SignInRow, USE_SSO_TEST } from './statements.ts'

/** How long a test waits to be opened, and then for the person at the provider. */
const TEST_SECONDS = 300

/** No browser has this hash: a test that was not opened yet cannot be finished. */
const NO_BROWSER = Buffer.alloc(0)

/** Some accounts have hundreds. */
export const GROUPS_SHOWN = 20

/** The result of a test. Without an `account`, the sign-in at the provider did not get that far. */
export interface TestReport {
  account?: Account
  problem?: SsoProblem
  /** The operator that the account would sign in as. */
  operator?: { name: string; role: OperatorRole; isNew: boolean }
  /** The number of the rule that gives the role, from 1. */
  rule?: number
}

interface Returned {
  callback: URL
  secrets: SignInSecrets
  address: string
}

export function createConnectionTests({ db, sealer, publicUrl }: Kernel, configs: SsoConfigs, providers: Providers) {
  const context = ({ workspaceId }: Pick<SignInRow, 'workspaceId'>) => ({
    column: 'sso_sign_ins.test_sealed',
    row: workspaceId,
  })

  const settingsOf = (row: SignInRow): ActiveConfig => JSON.parse(sealer.open(row.testSealed as Buffer, context(row)))

  /** Admits the account, and takes everything back. Throws `SignInFailed` if it is not admitted. */
  async function wouldBe(row: SignInRow, config: ActiveConfig, account: Account, address: string) {
    const { workspaceId } = row
    try {
      return await changeWorkspace(db, row, async (session): Promise<never> => {
        const admitted = await admit(session, { workspaceId, config, account, address })
        throw new RolledBack((await findOperator(session, workspaceId, admitted.id)) ?? admitted)
      })
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error
      const { id, name, role } = error.operator
      return { name, role, isNew: (await findOperator(db, workspaceId, id)) === undefined }
    }
  }

  return {
    /** Calls the provider, and returns what is wrong, or the address of the rest of the test. */
    async start(caller: WorkspaceCaller, data: DataOf<typeof testSsoConfig>): Promise<ResultOf<typeof testSsoConfig>> {
      const config = await configs.preview(caller, data)
      const missing = config.issuer === '' ? 'issuer' : config.clientId === '' ? 'clientId' : undefined
      if (missing !== undefined) return { problem: notSet(missing) }
      try {
        await providers.check(config, configs.redirectUri(caller.workspaceId))
      } catch (error) {
        if (error instanceof SignInFailed && error.problem !== undefined) return { problem: error.problem }
        throw error
      }
      const { workspaceId } = caller
      const ticket = newSecret()
      const sealed = sealer.seal(JSON.stringify(config), context(caller))
      const row = [tokenHash(ticket), NO_BROWSER, workspaceId, config.issuer, config.clientId, TEST_SECONDS, sealed]
      const [added] = await db.run(ADD_SSO_SIGN_IN, row)
      return {
        url: `${publicUrl()}/console/oidc/test?${new URLSearchParams({ ticket })}`,
        ...(added && { expiresAt: added.expiresAt.getTime() }),
      }
    },

    /** Returns the address of the provider to send the browser to that opens a test. Throws `SignInFailed`. */
    async open(ticket: string, browser: string): Promise<URL> {
      const [row] = await db.run(USE_SSO_TEST, [tokenHash(ticket)])
      if (row === undefined) throw new SignInFailed('test_expired')
      const config = settingsOf(row)
      const state = newSecret()
      const { workspaceId, issuer, clientId, testSealed } = row
      const redirectUri = configs.redirectUri(workspaceId)
      const url = await providers.authorizationUrl(config, redirectUri, secretsOf(browser, state))
      const hashes = [tokenHash(state), tokenHash(browser)]
      await db.run(ADD_SSO_SIGN_IN, [...hashes, workspaceId, issuer, clientId, TEST_SECONDS, testSealed])
      return url
    },

    /** Returns the report about the response of the provider. */
    async finish(row: SignInRow, { callback, secrets, address }: Returned): Promise<TestReport> {
      const config = settingsOf(row)
      let account: Account | undefined
      try {
        account = await providers.account(config, callback, secrets)
        const operator = await wouldBe(row, config, account, address)
        const rule = ruleFor(config.roles, account)
        return { account, operator, ...(rule !== -1 && { rule: rule + 1 }) }
      } catch (error) {
        if (!(error instanceof SignInFailed)) throw error
        if (account === undefined) return { problem: error.problem ?? refusedAs(error) }
        return { account, problem: notAdmitted(error, account) }
      }
    },
  }
}

/** Ends a transaction that must change nothing. */
class RolledBack extends Error {
  readonly operator: ProvisionedOperator

  constructor(operator: ProvisionedOperator) {
    super('rolled back')
    this.operator = operator
  }
}

const notSet = (setting: 'issuer' | 'clientId'): SsoProblem =>
  problem(
    `${setting === 'issuer' ? 'issuer' : 'client_id'}_missing`,
    setting,
    `The ${setting === 'issuer' ? 'issuer URL' : 'client id'} is not set.`,
    'Copy it from the application at the provider.',
  )

function refusedAs({ failure }: SignInFailed): SsoProblem {
  const { what, next } = textsOf(failure)
  return problem(failure, failure === 'email_unverified' ? 'provider' : 'roles', what, next)
}

/** Says why the account would be refused, with the claims that the provider sends about it. */
function notAdmitted(error: SignInFailed, { email, unverifiedEmail, groups }: Account): SsoProblem {
  if (error.failure === 'email_unverified')
    return unverifiedEmail === undefined
      ? problem(
          'email_missing',
          'provider',
          'The provider sends no e-mail address for this account.',
          'Enter the address at the provider, and let it send the claims email and email_verified (scope email).',
        )
      : problem(
          'email_unverified',
          'provider',
          `The provider sends the address ${unverifiedEmail}, and does not say that it is verified (email_verified is not true).`,
          'Verify the address at the provider, or let it send the claim email_verified for addresses that it manages.',
        )
  if (error.failure !== 'not_admitted') return refusedAs(error)
  const shown = groups.slice(0, GROUPS_SHOWN).join(', ')
  const facts = `its address is ${email ?? 'not verified'}, ${shown === '' ? 'and it is in no group' : `its groups are ${shown}`}`
  return problem(
    'not_admitted',
    'roles',
    `No rule gives this account a role, and its address is not invited: ${facts}.`,
    'Add a rule for its domain or for one of its groups, or invite the address.',
  )
}
