/** Sessions of the console as its page has them: a cookie, and the header that asks for it. */
import assert from 'node:assert/strict'
import type { Answer, Client } from '#testing/client.ts'
import type { Callers } from './callers.ts'

export const SESSION = { 'x-service-session': 'console' }

/** What a workspace is signed in with. */
export const asOwner = ({ workspace: { headers } }: Callers) => ({
  workspaceId: headers['x-service-workspace-id'],
  token: headers['x-service-auth-token'],
})

/** What an API key is signed in with. */
export const asHolder = ({ apiKey: { headers } }: Callers) => ({
  apiKey: headers['x-service-api-key'],
  token: headers['x-service-auth-token'],
})

export const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie') ?? ''

/** `more` are headers. */
export const startSession = (client: Client, data: object, more: Record<string, string> = {}): Promise<Answer> =>
  client.with({ ...SESSION, ...more }).post('/console/session/start', data)

/** Signs in, and answers a caller with the cookie. */
export async function signIn(client: Client, data: object, more: Record<string, string> = {}): Promise<Client> {
  const answer = await startSession(client, data)
  assert.equal(answer.http, 200, answer.text)
  const [cookie = ''] = cookieOf(answer).split(';')
  return client.with({ ...SESSION, ...more, cookie })
}

/** Who is signed in, as the page asks it. */
export const whose = async (session: Client) =>
  (await session.post('/console/session/get', {})).body.result.data.signedIn
