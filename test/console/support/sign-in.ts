/** Creates accounts for tests and signs in: with the form in tests of signing in, otherwise with a cookie. */
import type { Page } from 'playwright-core'
import { createApiKey, type KeyType, updateApiKey } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { type Client, createClient } from '#testing/client.ts'

export interface Somebody {
  workspaceId: string
  workspaceToken: string
  apiKey: string
  authToken: string
  /** Calls the API with the API key. */
  client: Client
  /** Calls the API as the workspace. */
  owner: Client
}

let count = 0

/** Creates a workspace; its API key is called `Acme`. */
export async function newWorkspace(url: string, type: KeyType = 'testing'): Promise<Somebody> {
  const anybody = createClient(url)
  const ownerEmail = `console${process.pid}.${++count}@example.com`
  const { id, authToken: workspaceToken, apiKeyList } = await anybody.call(createWorkspace, { ownerEmail })
  const owner = anybody.with({ 'x-service-workspace-id': id, 'x-service-auth-token': workspaceToken })
  const data = { ownerEmail, type, planInfo: { type: 'sample' }, createAuthToken: true }
  const apiKey =
    type === 'testing' ? (Object.values(apiKeyList)[0]?.id ?? '') : (await owner.call(createApiKey, data)).apiKey
  await owner.call(updateApiKey, { apiKey, apiKeyName: 'Acme' })
  const { authTokens } = await owner.call(getAuthTokens, { apiKey })
  const authToken = authTokens[0]?.token ?? ''
  const client = anybody.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  return { workspaceId: id, workspaceToken, apiKey, authToken, client, owner }
}

export async function fillIn(page: Page, kind: 'workspace' | 'apiKey', id: string, token: string): Promise<void> {
  const ofKey = kind === 'apiKey'
  await page
    .getByText(ofKey ? 'API key' : 'Workspace', { exact: true })
    .first()
    .click()
  await page
    .getByLabel(ofKey ? 'API key' : 'Workspace id', { exact: true })
    .and(page.locator('input[name=id]'))
    .fill(id)
  await page.getByLabel(ofKey ? 'Auth token' : 'Workspace token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs in as the workspace, on the current view. */
export async function signIn(page: Page, { workspaceId, workspaceToken }: Somebody): Promise<void> {
  await fillIn(page, 'workspace', workspaceId, workspaceToken)
  await page.getByRole('button', { name: 'Account' }).waitFor()
}

export async function signInWithKey(
  page: Page,
  { apiKey, authToken }: Pick<Somebody, 'apiKey' | 'authToken'>,
): Promise<void> {
  await fillIn(page, 'apiKey', apiKey, authToken)
  await page.getByRole('button', { name: 'Account' }).waitFor()
}

/** Returns the state of a browser in which the workspace is signed in at the server. */
export const signedIn = (
  url: string,
  { workspaceId, workspaceToken }: Pick<Somebody, 'workspaceId' | 'workspaceToken'>,
) => stateWith(url, { workspaceId, token: workspaceToken })

/** The same for an auth token of an API key. */
export const signedInWithKey = (url: string, { apiKey, authToken }: Pick<Somebody, 'apiKey' | 'authToken'>) =>
  stateWith(url, { apiKey, token: authToken })

async function stateWith(url: string, data: object) {
  const response = await fetch(`${url}/console/session/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-session': 'console' },
    body: JSON.stringify({ data }),
  })
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
  const cookie = { name, value, domain: new URL(url).hostname, path: '/', expires: -1 }
  return { cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Strict' as const }], origins: [] }
}
