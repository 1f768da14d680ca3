/**
 * `login`, `whoami` and `logout`: the command line acts as a person, who approves it in the console, as
 * docs/guides/use-the-command-line.md shows.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { Client } from '#testing/client.ts'
import { type Environment, newHome, startCli } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { FULL } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf, type Callers, newCallers } from '../conformance/support/callers.ts'
import { signInAs } from '../conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../conformance/support/events.ts'

const server = await sharedServer()
const { url } = server

const workspaceIdOf = ({ workspace }: Callers): string => workspace.headers['x-service-workspace-id'] ?? ''
const fileIn = (home: string): string => path.join(home, '.config/commonhold/config.json')
const profilesOf = (home: string) => JSON.parse(readFileSync(fileIn(home), 'utf8')).profiles

/** Runs `login`, and approves or denies it in the console as `by`. */
async function login(by: Client, environment: Environment, args: readonly string[] = [], answer = 'approve') {
  const running = startCli(['login', ...args], environment)
  const [, userCode = ''] = await running.until(/enter the code (\S+)/)
  const answered = await by.post(`/console/device/${answer}`, { userCode })
  return { answered: answered.body.result.data.isAnswered as boolean, running }
}

/** A home folder with a person who is signed in there. */
async function signedIn(role: OperatorRole) {
  const callers = await newCallers(url)
  const person = await signInAs(callers.workspace, role, 'Kim')
  const env = { HOME: newHome(), COMMONHOLD_API_KEY: apiKeyOf(callers.apiKey) }
  const { running } = await login(person, env, [url, '--json'])
  const { code, stdout, stderr } = await running.ended
  assert.equal(code, 0, stderr)
  return { callers, person, env, result: JSON.parse(stdout), stderr }
}

describe.concurrent('login', () => {
  it('signs in the person who approves, in a private file, and lets commands act as them until logout', async () => {
    const { callers, person, env, result, stderr } = await signedIn('support')
    assert.match(stderr, new RegExp(`To sign in, open ${url}/console/device\nand enter the code [A-Z]{4}-[A-Z]{4}\n`))
    assert.equal('session' in result, false)
    assert.partialDeepStrictEqual(result, { profile: 'default', operator: { id: person.operatorId, role: 'support' } })
    assert.equal(statSync(fileIn(env.HOME)).mode & 0o777, 0o600)
    const { session } = profilesOf(env.HOME).default
    assert.match(session, /^chs_\w{33}$/)

    const who = JSON.parse((await cli(['whoami', '--json'], env)).stdout)
    assert.partialDeepStrictEqual(who, { role: 'support', workspaceId: workspaceIdOf(callers), url })
    assert.match(who.person, /^Kim <operator\S+>$/)
    assert.ok(who.endsAt < who.expiresAt)
    const refused = await cli(['org', 'add', 'acme'], env)
    assert.equal(refused.code, 3)
    assert.match(refused.stderr, /Ask a developer, admin or owner of this workspace\./)
    assert.match(refused.stderr, /You are signed in as Kim <operator\S+>\./)

    assert.equal((await cli(['logout'], env)).code, 0)
    assert.equal(profilesOf(env.HOME).default.session, undefined)
    const headers = { 'x-service-auth-token': session }
    assert.equal((await server.client.with(headers).post('/console/command-line/get', {})).http, 401)
  })

  it.runIf(FULL)('names the person in events, and says what to do when the session was ended', async () => {
    const { callers, person, env } = await signedIn('owner')
    assert.equal((await cli(['org', 'add', 'acme'], env)).code, 0)
    assert.match((await cli(['doctor'], env)).stdout, /person +Kim <\S+>, owner, until 2/)
    const { session } = profilesOf(env.HOME).default
    assert.ok(!(await cli(['profile', 'show'], env)).stdout.includes(session))
    assert.match((await cli(['profile', 'list'], env)).stdout, /Kim <operator/)
    const events = await eventsOfWorkspace(server.db, workspaceIdOf(callers))
    const added = events.find(({ type }) => type === 'organization.added')
    assert.deepEqual(added?.actor.operator, { id: person.operatorId, name: 'Kim' })

    const { sessions } = (await person.post('/console/sessions/list', {})).body.result.data
    const own = sessions.find(({ machine }: { machine?: string }) => machine !== undefined)
    await person.post('/console/sessions/end', { sessionId: own.id })
    const ended = await cli(['org', 'list'], env)
    assert.equal(ended.code, 3)
    assert.match(ended.stderr, /To sign in again: commonhold login/)
    assert.equal((await cli(['logout'], env)).code, 0)
    assert.match((await cli(['whoami'], env)).stderr, /With a key alone you have to be signed in: commonhold login/)
  })

  it.runIf(FULL)('sends the session to no other server, also when signing out', async () => {
    const { env } = await signedIn('support')
    const other = await startReceiver()
    const elsewhere = { ...env, COMMONHOLD_URL: new URL('/', other.url).href }
    const { code, stderr } = await cli(['logout'], elsewhere)
    assert.deepEqual(other.received, [])
    assert.equal(code, 2)
    assert.match(stderr, new RegExp(`The profile default is for ${url}`))
    assert.equal((await cli(['whoami'], env)).code, 0)
  })

  it.runIf(FULL)('saves nothing when it is refused', async () => {
    const HOME = newHome()
    const person = await signInAs((await newCallers(url)).workspace, 'owner')
    const { answered, running } = await login(person, { HOME }, [url], 'deny')
    assert.equal(answered, true)
    const { code, stderr } = await running.ended
    assert.equal(code, 3)
    assert.match(stderr, /The sign-in was refused in the console/)
    assert.throws(() => profilesOf(HOME), /ENOENT/)
  })

  it.runIf(FULL)('again stays in the workspace of the profile, and ends the session that it replaces', async () => {
    const { callers, person, env } = await signedIn('developer')
    const { session: first } = profilesOf(env.HOME).default
    const stranger = await signInAs((await newCallers(url)).workspace, 'owner')
    const { answered, running } = await login(stranger, env)
    assert.equal(answered, false)
    const [, userCode = ''] = await running.until(/enter the code (\S+)/)
    await person.post('/console/device/approve', { userCode })
    assert.equal((await running.ended).code, 0)
    const { session, workspaceId } = profilesOf(env.HOME).default
    assert.equal(workspaceId, workspaceIdOf(callers))
    const whose = (secret: string) =>
      server.client.with({ 'x-service-auth-token': secret }).post('/console/command-line/get', {})
    assert.deepEqual([(await whose(first)).http, (await whose(session)).http], [401, 200])
  })

  it.runIf(FULL)('does not replace a profile for another server', async () => {
    const HOME = newHome()
    await cli(['profile', 'add', 'default', '--url', 'https://commonhold.example.com'], { HOME })
    const { code, stderr } = await cli(['login', url], { HOME })
    assert.equal(code, 2)
    assert.match(stderr, /The profile default is for https:\/\/commonhold\.example\.com/)
    assert.match(stderr, /commonhold login \S+ --profile NAME/)
    assert.match((await cli(['login', '--profile', 'new'], { HOME })).stderr, /commonhold login ADDRESS --profile new/)
  })
})

describe.runIf(FULL)('the API key of a signed-in person', () => {
  it('is the only one of the workspace, or the one that is chosen', async () => {
    const callers = await newCallers(url)
    const { apiKey } = await callers.workspace.call(createApiKey, createApiKey.example)
    const person = await signInAs(callers.workspace, 'owner')
    const env = { HOME: newHome() }
    const { running } = await login(person, env, [url, '--key', apiKey])
    assert.equal((await running.ended).code, 0)
    assert.equal(profilesOf(env.HOME).default.apiKey, apiKey)
    assert.equal((await cli(['key', 'use', apiKeyOf(callers.apiKey)], env)).code, 0)
    assert.equal(profilesOf(env.HOME).default.apiKey, apiKeyOf(callers.apiKey))
    assert.equal((await cli(['key', 'use', 'chk_test_unknown'], env)).code, 2)
    assert.equal((await cli(['org', 'list'], env)).code, 0)
  })
})
