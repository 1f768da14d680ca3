/**
 * The sign-in of an operator with the provider of a workspace (rules/operators.md#single-sign-on, ADR 0046). The state is stored as a
 * hash, counts once, and only in the browser that started: the nonce and the PKCE verifier follow from the secret in its cookie.
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { ProvisionedOperator } from '#features/operators/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { admit } from './admission.ts'
import { newSecret, SIGN_IN_SECONDS, secretsOf } from './browser.ts'
import { type ActiveConfig, createSsoConfigs } from './config.ts'
import { createConnectionTests, type TestReport } from './connection-test.ts'
import { createSsoDomains } from './domains.ts'
import { SignInFailed } from './failure.ts'
import { createProviders } from './provider.ts'
import { ADD_SSO_SIGN_IN, DELETE_OLD_SSO_SIGN_INS, type SignInRow, USE_SSO_SIGN_IN } from './statements.ts'

/** Starts the session of the admitted operator, in the transaction that admits them. */
type Start<Result> = (session: Session, workspaceId: WorkspaceId, operator: ProvisionedOperator) => Promise<Result>

/** Where a sign-in leads: to a workspace, or to that of a domain. */
interface Place {
  workspace?: string | undefined
  domain?: string | undefined
}

/** Whether a text can be the id of a workspace. An address can also have characters that the database does not store. */
const mayBeWorkspaceId = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text)

export type SingleSignOn = ReturnType<typeof createSingleSignOn>

export function createSingleSignOn(kernel: Kernel) {
  const { db, use } = kernel
  const configs = use(createSsoConfigs)
  const domains = use(createSsoDomains)
  const providers = createProviders(kernel)
  const tests = createConnectionTests(kernel, configs, providers)

  async function activeConfig(session: Session, workspaceId: WorkspaceId): Promise<ActiveConfig> {
    const config = await configs.find(session, workspaceId)
    if (config === undefined) throw new SignInFailed('not_offered')
    return config
  }

  /**
   * Returns the settings with which the sign-in was started; refuses a sign-in that was started before another provider
   * was set.
   */
  async function sameConfig(session: Session, { workspaceId, issuer, clientId }: SignInRow): Promise<ActiveConfig> {
    const config = await activeConfig(session, workspaceId)
    if (config.issuer !== issuer || config.clientId !== clientId) throw new SignInFailed('stale')
    return config
  }

  return {
    /** Returns the address of the provider of a workspace, or of a domain, to send a browser to. Throws `SignInFailed`. */
    async begin({ workspace, domain }: Place, browser: string): Promise<URL> {
      const found = domain === undefined ? workspace : await domains.find(domain)
      if (found === undefined && domain !== undefined) throw new SignInFailed('domain_unknown')
      if (found === undefined || !mayBeWorkspaceId(found)) throw new SignInFailed('not_offered')
      const workspaceId = found as WorkspaceId
      const config = await activeConfig(db, workspaceId)
      const state = newSecret()
      const redirectUri = configs.redirectUri(workspaceId)
      const url = await providers.authorizationUrl(config, redirectUri, secretsOf(browser, state))
      const hashes = [tokenHash(state), tokenHash(browser)]
      await db.run(ADD_SSO_SIGN_IN, [...hashes, workspaceId, config.issuer, config.clientId, SIGN_IN_SECONDS, null])
      return url
    },

    /**
     * Takes the response of a provider, `search` of the address of a workspace to which it sent the browser, and returns
     * the result of `start` for the operator. The response counts only at the address of the workspace of the sign-in: a
     * provider could lead to that of another workspace, and would get its code (RFC 9700, section 4.4). For a test it
     * returns the report, and `start` is not called. Throws `SignInFailed`.
     * Holds no connection to the database while the provider is called.
     */
    async finish<Result>(
      search: string,
      { workspaceId: at, browser, address }: { workspaceId: string; browser: string; address: string },
      start: Start<Result>,
    ): Promise<{ started: Result; report?: undefined } | { report: TestReport }> {
      const state = new URLSearchParams(search).get('state') ?? ''
      const hashes = [tokenHash(state), tokenHash(browser)]
      const [begun] = mayBeWorkspaceId(at) ? await db.run(USE_SSO_SIGN_IN, [...hashes, at]) : []
      if (begun === undefined) throw new SignInFailed('stale')
      const { workspaceId } = begun
      const callback = new URL(`${configs.redirectUri(workspaceId)}${search}`)
      const secrets = secretsOf(browser, state)
      if (begun.testSealed !== null) return { report: await tests.finish(begun, { callback, secrets, address }) }
      const account = await providers.account(await sameConfig(db, begun), callback, secrets)
      const started = await changeWorkspace(db, { workspaceId }, async (session) => {
        const config = await sameConfig(session, begun)
        const operator = await admit(session, { workspaceId, config, account, address })
        return start(session, workspaceId, operator)
      })
      return { started }
    },

    findDomain: domains.find,
    test: tests.start,
    openTest: tests.open,

    /** Deletes sign-ins that never came back. */
    sweep: (stopping: AbortSignal): Promise<void> => deleteOld(db, DELETE_OLD_SSO_SIGN_INS, stopping),

    close: providers.close,
  }
}
