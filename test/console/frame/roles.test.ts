/**
 * The console shows everybody what they may do: each role and each kind of token, in every view, compared with the
 * table of the contract. An action that would be refused is disabled with the words of the refusal, and the server
 * refuses it in the same words.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { describe, it } from 'vitest'
import { type Scope, writes } from '#contract/core/operation.ts'
import { createApiKey, type KeyType } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { leastRolesOf, type OperatorRole } from '#contract/workspace/operator-roles.ts'
import { removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { FULL } from '#testing/run/mode.ts'
import { ROOT } from '../../../scripts/root.ts'
import { signInAs, signIn as signInSession } from '../../conformance/support/console-session.ts'
import { openConsole } from '../support/console.ts'
import { type HostileCompany, newHostileCompany } from '../support/hostile.ts'
import { refusalOf, type Somebody, walk } from '../support/permitted.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const url = `${server.url}/console`

/** The pairs of role and key type that differ: with testing keys an admin may do what an owner may, except with the workspace. */
const WALKS: readonly [OperatorRole, KeyType][] = FULL
  ? [
      ['support', 'testing'],
      ['support', 'production'],
      ['developer', 'testing'],
      ['developer', 'production'],
      ['admin', 'production'],
      ['owner', 'production'],
    ]
  : [['developer', 'production']]

/** A push opens only the views of these pairs with the most different actions. */
const OF_A_PUSH = ['tokens', 'email', 'access to a document']

const companies: Partial<Record<KeyType, Promise<HostileCompany>>> = {}
const companyWith = (type: KeyType) => (companies[type] ??= newHostileCompany(server, type))

const viewsOf = ({ views }: HostileCompany) =>
  FULL ? views : Object.fromEntries(Object.entries(views).filter(([view]) => OF_A_PUSH.includes(view)))

async function useSession(context: BrowserContext, { headers }: { headers: Readonly<Record<string, string>> }) {
  const [name = '', value = ''] = (headers.cookie ?? '').split('=')
  await context.addCookies([{ name, value, url: server.url }])
}

/** The operations that the console calls and that are not for everybody. */
function calledOperations(): string[] {
  const source = globSync('console/src/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .join('\n')
  const called = new Set(
    [...source.matchAll(/(?:client|workspace)\.(\w+)\.(\w+)/g)].map(([, noun, verb]) => `${noun}.${verb}`),
  )
  return OPERATIONS.filter(
    (operation) =>
      operation.credentials !== 'none' &&
      (writes(operation) || operation.secret === true) &&
      leastRolesOf(operation).testing !== 'support' &&
      called.has(operation.name.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())),
  ).map(({ name }) => name)
}

/**
 * Operations that the walk does not see, because they need an attempt of a message, a requested domain, a disabled key,
 * or the first workspace.
 */
const LATER_ACTIONS = ['webhook-messages.resend', 'domain-requests.respond', 'api-keys.enable', 'auth-tokens.get']

for (const [role, type] of WALKS)
  describe(`the console for a person with the role ${role}`, () => {
    it(`disables with a ${type} key what would be refused, says why, and nothing else`, async () => {
      const company = await companyWith(type)
      const session = await signInAs(company.owner, role)
      const { page, context } = await visit('')
      await useSession(context, session)
      const who: Somebody = { role }
      const { wrong, seen } = await walk({
        page,
        url,
        views: viewsOf(company),
        who,
        type,
        presses: role === 'support' && FULL,
      })
      assert.deepEqual(wrong, [])
      if (role === 'owner')
        assert.deepEqual(
          calledOperations().filter((name) => !seen.has(name) && !LATER_ACTIONS.includes(name)),
          [],
        )
      const ofKey = session.with({ ...session.headers, 'x-service-api-key': company.apiKey })
      for (const operation of OPERATIONS.filter(
        ({ name, credentials }) => seen.has(name) && credentials === 'apiKey',
      )) {
        const refusal = refusalOf(operation, who, type)
        const { error } = (await ofKey.raw(operation.path, '{"data":')).body
        if (refusal !== undefined) assert.equal(error.message, refusal, operation.name)
      }
    })
  })

it('the form of a new key disables the type that a developer may not create, and says why', async () => {
  const { owner } = await companyWith('production')
  const session = await signInAs(owner, 'developer')
  const { page, context } = await visit('')
  await useSession(context, session)
  await page.goto(`${url}/keys/new`)
  const production = page.getByRole('radio', { name: 'Production' })
  await production.and(page.locator(':disabled')).waitFor()
  await page.getByText(refusalOf(createApiKey, { role: 'developer' }, 'production') ?? '').waitFor()
  assert.ok(await page.getByRole('radio', { name: 'Testing' }).isEnabled())
  await useSession(context, await signInAs(owner, 'support'))
  await page.reload()
  const form = page.getByRole('form', { name: 'Create API key' })
  const refusal = form.getByText(refusalOf(createApiKey, { role: 'support' }, 'testing') ?? '')
  await refusal.waitFor()
  assert.equal(await refusal.count(), 1)
  assert.equal(await form.locator('input:enabled, button:enabled').count(), 0)
})

it('an open page follows the role of its person, and a refusal at once', async () => {
  const somebody = await newWorkspace(server.url)
  const session = await signInAs(somebody.owner, 'support')
  const { operatorId } = session
  const { page, context, faults } = await visit('', { setsClock: true })
  await page.clock.install()
  await useSession(context, session)
  await page.goto(`${url}/keys/${somebody.apiKey}/organizations`)
  const add = page.getByRole('button', { name: 'Add organization' }).first()
  await add.and(page.locator('[aria-disabled=true]')).waitFor()
  await somebody.owner.call(updateOperator, { operatorId, role: 'developer' })
  await page.clock.fastForward(31_000)
  await add.and(page.locator(':not([aria-disabled=true])')).waitFor()
  await add.click()
  await page.getByRole('textbox', { name: 'Id', exact: true }).fill('acme')
  await somebody.owner.call(updateOperator, { operatorId, role: 'support' })
  await page.getByRole('textbox', { name: 'Id', exact: true }).press('Enter')
  await page.getByRole('dialog').getByText('Your role in the workspace is "support"').waitFor()
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'Id', exact: true })
    .and(page.locator(':disabled'))
    .waitFor()
  await add.and(page.locator('[aria-disabled=true]')).waitFor({ state: 'attached' })
  await somebody.owner.call(removeOperator, { operatorId })
  await page.clock.fastForward(31_000)
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  assert.deepEqual(faults, [])
})

if (FULL)
  for (const scopes of [['read'], ['read', 'write'], ['write'], ['admin']] as Scope[][])
    it(`the console disables for a token with the scopes ${scopes} what would be refused`, async () => {
      const company = await companyWith('production')
      const { apiKey } = company
      const { authToken } = await company.owner.call(createAuthToken, { apiKey, name: scopes.join(), scopes })
      const { page, context } = await visit('')
      await useSession(context, await signInSession(company.client, { apiKey, token: authToken.token }))
      const views = Object.fromEntries(Object.entries(company.views).filter(([, view]) => view.startsWith('keys/chk')))
      const { wrong } = await walk({
        page,
        url,
        views,
        who: { scopes },
        type: 'production',
        presses: scopes.join() === 'read',
      })
      assert.deepEqual(wrong, [])
    })
