/** `events tail`, `webhooks listen` and `promote`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'vitest'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { cli, environmentOf, newHome, profilesIn, startCli } from '#testing/processes/cli.ts'
import { sharedServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

async function newWorld() {
  const callers = await newCallers(server.url)
  return { callers, environment: environmentOf(server.url, callers) }
}

describe('events tail', () => {
  it('shows each event once as it happens, and ends with Ctrl-C', async () => {
    const { environment } = await newWorld()
    await cli(['org', 'add', 'before'], environment)
    const tail = startCli(['events', 'tail', '--type', 'organization.*', '--since', '1h', '--json'], environment)
    await tail.until(/"before"/)
    await cli(['org', 'add', 'acme'], environment)
    await cli(['grant', 'add', 'ada', 'org:acme'], environment)
    await cli(['org', 'add', 'globex'], environment)
    await tail.until(/"globex"/)
    tail.child.kill('SIGINT')
    const { code, stdout } = await tail.ended
    assert.equal(code, 0)
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).organizationId)
    assert.deepEqual(ids, ['before', 'acme', 'globex'])
  })

  it('starts with new events unless --since is given, and prints text without --json', async () => {
    const { environment } = await newWorld()
    await cli(['org', 'add', 'before'], environment)
    const tail = startCli(['events', 'tail'], environment)
    await tail.until(/Following events\. Stop with Ctrl-C\./)
    await cli(['grant', 'add', 'ada', 'document:roadmap', '--org', 'acme'], environment)
    await tail.until(/Z {2}The token Default Auth Token .*\. {2}permission\.added {2}acme {2}document:roadmap {2}ada\n/)
    assert.doesNotMatch(tail.output.stdout, /before/)
  })
})

/** An address of the server that can be down for a while, as during a restart. */
async function startGate(url: string) {
  const sockets = new Set<Socket>()
  const gate = createServer((socket) => {
    const inside = connect(Number(new URL(url).port), '127.0.0.1')
    for (const one of [socket, inside]) sockets.add(one.on('error', () => {}))
    socket.pipe(inside).pipe(socket)
  })
  const open = async (port = 0) => once(gate.listen(port, '127.0.0.1'), 'listening')
  function close() {
    gate.close()
    for (const socket of sockets) socket.destroy()
  }
  await open()
  cleanUp(close)
  const { port } = gate.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close, open: () => open(port) }
}

describe('events tail of a server that is down for longer than a call may take', () => {
  it('continues when it is back, and shows each event once', async () => {
    const { callers, environment } = await newWorld()
    const gate = await startGate(server.url)
    const tail = startCli(['events', 'tail', '--type', 'organization.*', '--json'], environmentOf(gate.url, callers))
    await tail.until(/Following events/)
    await cli(['org', 'add', 'first'], environment)
    await tail.until(/"first"/)
    gate.close()
    await cli(['org', 'add', 'second'], environment)
    await tail.until(/Waiting for the server/)
    await gate.open()
    await cli(['org', 'add', 'third'], environment)
    await tail.until(/"third"/)
    tail.child.kill('SIGINT')
    const { code, stdout } = await tail.ended
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).organizationId)
    assert.deepEqual([code, ids], [0, ['first', 'second', 'third']])
  })

  it('fails at the start', async () => {
    const { callers } = await newWorld()
    const gate = await startGate(server.url)
    gate.close()
    assert.equal((await cli(['events', 'tail'], environmentOf(gate.url, callers))).code, 4)
  })
})

describe('webhooks listen', () => {
  it('prints messages, forwards them unchanged, and deletes its endpoint', async () => {
    const { callers, environment } = await newWorld()
    const off = await cli(['webhooks', 'listen'], environment)
    assert.equal(off.code, 5)
    assert.match(off.stderr, /disabled for this API key\.\nnext {3}commonhold webhooks enable/)
    await callers.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const program = await startReceiver()
    const args = ['webhooks', 'listen', '--forward', program.url, '--type', 'permission.*', '--json']
    const listening = startCli(args, environment)
    const [, endpoint = ''] = await listening.until(/(ep_\w+) sends to/)
    await cli(['grant', 'add', 'ada', 'org:acme'], environment)
    const [message] = await program.until(1)
    await listening.until(/"status":204/)
    const shown = JSON.parse(listening.output.stdout)
    assert.deepEqual([shown.event, shown.data.userId], ['permission.added', 'ada'])
    assert.equal(message?.headers['webhook-id'], shown.webhookId)
    assert.match(String(message?.headers['webhook-signature']), /^v1,/)
    listening.child.kill('SIGINT')
    const { code, stderr } = await listening.ended
    assert.equal(code, 0)
    assert.match(stderr, new RegExp(`The endpoint ${endpoint} is deleted\\.`))
    assert.equal((await cli(['webhooks', 'list', '--json'], environment)).stdout, '')
    program.close()
  })

  it('responds with the failure of the program, and does not forward forged messages', async () => {
    const { callers, environment } = await newWorld()
    await callers.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const program = await startReceiver(() => ({ status: 500 }))
    const listening = startCli(['webhooks', 'listen', '--forward', program.url], environment)
    const [, url = ''] = await listening.until(/sends to (\S+)/)
    const forged = await fetch(url, { method: 'POST', body: '{}' })
    assert.equal(forged.status, 401)
    await listening.until(/not genuine: The header webhook-id is missing\./)
    await cli(['grant', 'add', 'ada', 'org:acme'], environment)
    await listening.until(
      /The token Default Auth Token .*\. {2}permission\.added {2}acme {2}organization:acme {2}ada {2}msg_\S+ {2}→ 500/,
    )
    program.close()
  })

  it('prints messages that arrive before its secret is known, such as that of its own creation', async () => {
    const { callers, environment } = await newWorld()
    await callers.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const listening = startCli(['webhooks', 'listen'], environment)
    await listening.until(/webhook_endpoint\.created {2}msg_/)
    assert.doesNotMatch(listening.output.stderr, /✗/)
  })

  it('says what to do if the server cannot reach this machine', async () => {
    const { environment } = await newWorld()
    const far = { ...environment, COMMONHOLD_URL: 'https://commonhold.example.com' }
    const { code, stderr } = await cli(['webhooks', 'listen'], far)
    assert.equal(code, 2)
    assert.match(stderr, /is not on this machine[\s\S]*Open a tunnel to a port[\s\S]*--port 4000 --public-url/)
  })
})

describe('promote', () => {
  it('shows the difference and applies it, after which there is none', async () => {
    const [one, two] = [await newWorld(), await newWorld()]
    const profile = ({ environment }: typeof one) => ({
      url: server.url,
      apiKey: environment.COMMONHOLD_API_KEY,
      authToken: environment.COMMONHOLD_AUTH_TOKEN,
    })
    const environment = profilesIn(newHome(), { profiles: { staging: profile(one), production: profile(two) } })
    const promote = (...args: string[]) =>
      cli(['promote', '--from', 'staging', '--to', 'production', ...args], environment)

    const of = (name: string, ...args: string[]) => cli([...args, '--profile', name], environment)
    await of('staging', 'settings', 'set', '--default-access', 'restricted', '--user-token-lifetime', '12h')
    await of('staging', 'domain', 'add', 'app.example.com')
    await of('production', 'domain', 'add', 'old.example.com')
    await of('staging', 'webhooks', 'enable')
    await of(
      'staging',
      'webhooks',
      'create',
      'https://example.com/hook',
      '--uid',
      'search',
      '--type',
      'permission.added',
    )
    const email = { useEmailService: true, emailServiceConfig: { type: 'sendgrid', apiKey: 'a-very-secret-key-1234' } }
    await of('staging', 'call', 'email-config.update', JSON.stringify(email))
    const triggers = { comment: { added: false } }
    const notifications = { useNotificationService: true, notificationServiceConfig: { triggers } }
    await of('staging', 'call', 'notification-config.update', JSON.stringify(notifications))
    await of('production', 'call', 'notification-config.update', JSON.stringify({ useNotificationService: true }))
    const activities = { activityServiceConfig: { isEnabled: true, immutable: false } }
    await of('staging', 'call', 'activity-config.update', JSON.stringify(activities))

    const diff = await promote('--diff')
    assert.equal(diff.code, 1)
    for (const line of [
      '~ settings  defaultDocumentAccessType  public → restricted',
      '~ settings  userTokenLifetimeSeconds  172800 → 43200',
      '+ domains  app.example.com',
      '~ webhooks  signed.isEnabled  false → true',
      '~ notifications  triggers.comment.added  true → false',
      '~ activities  immutable  not set → false',
      '~ activities  isEnabled  false → true',
      '+ endpoints  search  https://example.com/hook',
    ])
      assert.ok(diff.stdout.includes(line), `${line}\n${diff.stdout}`)
    assert.match(diff.stderr, /email: the API key is a secret and cannot be copied\. Set it by hand\./)
    assert.match(diff.stderr, /domains old\.example\.com is only in production and is kept\. To delete it: --delete\./)
    assert.ok(!`${diff.stdout}${diff.stderr}`.includes('a-very-secret'))

    const asked = await promote()
    assert.deepEqual([asked.code, /To confirm, add --yes\./.test(asked.stderr)], [2, true])
    assert.equal((await promote('--yes')).code, 0)
    const again = await promote('--diff', '--json')
    assert.equal(again.code, 0)
    assert.deepEqual(JSON.parse(again.stdout).differences, [])
    assert.equal((await promote('--diff', '--delete', '--only', 'domains')).code, 1)
    assert.equal((await promote('--yes', '--delete', '--only', 'domains')).code, 0)
    const domains = await of('production', 'domain', 'list', '--json')
    assert.equal(domains.stdout, '"app.example.com"\n')
  })
})
