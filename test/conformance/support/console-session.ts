/** Console sessions as the page uses them: a cookie, and the header that requests its use. */
import assert from 'node:assert/strict'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import type { Answer, Client } from '#testing/client.ts'
import type { MailServer, ReceivedMail } from '#testing/stand-ins/mail-server.ts'
import type { Callers } from './callers.ts'

export const SESSION = { 'x-service-session': 'console' }

/** Returns the credentials that sign in a workspace. */
export const asOwner = ({ workspace: { headers } }: Callers) => ({
  workspaceId: headers['x-service-workspace-id'],
  token: headers['x-service-auth-token'],
})

/** Returns the credentials that sign in an API key. */
export const asHolder = ({ apiKey: { headers } }: Callers) => ({
  apiKey: headers['x-service-api-key'],
  token: headers['x-service-auth-token'],
})

export const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie') ?? ''

/** `more` are headers. */
export const startSession = (client: Client, data: object, more: Record<string, string> = {}): Promise<Answer> =>
  client.with({ ...SESSION, ...more }).post('/console/session/start', data)

/** Signs in, and returns a caller with the cookie. */
export async function signIn(client: Client, data: object, more: Record<string, string> = {}): Promise<Client> {
  const answer = await startSession(client, data)
  assert.equal(answer.http, 200, answer.text)
  const [cookie = ''] = cookieOf(answer).split(';')
  return client.with({ ...SESSION, ...more, cookie })
}

/** Returns the secret in the address of a one-time link. */
export const secretOfLink = (link: string): string => new URL(link).hash.replace('#link=', '')

const linkIn = ({ text = '' }: ReceivedMail): string | undefined => /\S+#link=[\w-]{43}/.exec(text)?.[0]

let invitations = 0

/** Invites an operator as `by`, a caller of the workspace, and signs in as them. With a mail server, `post`, only the mail has the link. */
export async function signInAs(
  by: Client,
  role: OperatorRole,
  name = 'Kim',
  post?: MailServer,
): Promise<Client & { operatorId: string }> {
  const email = `operator${process.pid}.${++invitations}@example.com`
  const { operator, link = await post?.mailTo(email).then(linkIn) } = await by.call(inviteOperator, {
    email,
    name,
    role,
  })
  assert.ok(link, 'a server that sends mails needs its receiver here')
  const session = await signIn(by.with({}), { link: secretOfLink(link) })
  return { ...session, operatorId: operator.id }
}

/** Invites an operator as `by`, and signs in a command line as them; returns callers with its session in place of a token. */
export async function signInCommandLineAs(by: Client, role: OperatorRole) {
  const person = await signInAs(by, role, 'Kim')
  const anybody = by.with({})
  const ask = async (caller: Client, call: string, data: object) =>
    (await caller.post(`/console/device/${call}`, data)).body.result.data
  const { deviceCode, userCode } = await ask(anybody.with({ 'user-agent': AGENT }), 'start', { machine: 'ada@laptop' })
  assert.deepEqual(await ask(person, 'approve', { userCode }), { isAnswered: true })
  const { session, workspaceId } = await ask(anybody, 'poll', { deviceCode })
  const token = { 'x-service-auth-token': session as string }
  return {
    person,
    session: session as string,
    workspace: anybody.with({ ...token, 'x-service-workspace-id': workspaceId }),
    key: (apiKey: string) => anybody.with({ ...token, 'x-service-api-key': apiKey }),
  }
}

/** The data that a command line sends about itself. */
export const AGENT = 'commonhold/1.0 (linux)'

/** Asks who is signed in, as the page does. */
export const whose = async (session: Client) =>
  (await session.post('/console/session/get', {})).body.result.data.signedIn
