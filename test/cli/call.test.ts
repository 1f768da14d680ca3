/** `commonhold call` calls every operation of the contract by name. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { newExampleWorld } from '../conformance/support/example-world.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@example.com' })
const key = await server.newKey()
const environment = environmentOf(server.url, { apiKey: key })

/** One operation of each kind of credentials, because each call starts a process; test/sdk calls every operation through the same table. */
const FIRST = [...Map.groupBy(OPERATIONS, ({ credentials }) => credentials).values()].flatMap(([first]) => first ?? [])

describe('call', () => {
  for (const operation of FIRST)
    it(`calls ${operation.name} and writes the data of the result as one document`, async () => {
      const { callers, exampleOf } = await newExampleWorld(server.client, operation)
      const { code, stdout, stderr } = await cliInProcess(
        ['call', operation.name, JSON.stringify(exampleOf(operation))],
        environmentOf(server.url, callers),
      )
      assert.match(stderr, operation.warns ? /^(warning {2}.*\n)?$/ : /^$/)
      assert.equal(code, 0)
      assert.equal(JSON.parse(stdout) === null, operation.result === undefined)
    })
})

describe('a call whose response is lost', () => {
  it('is said to have been made, perhaps, if it changes something and was sent', async () => {
    const breaking = new URL((await startReceiver(() => 'break')).url).origin
    const change = ['documents.add', '{"organizationId": "acme", "documents": [{"documentId": "a"}]}']
    for (const [url, call, isUncertain] of [
      [breaking, change, true],
      [breaking, ['domains.get'], false],
      ['http://127.0.0.1:2', change, false],
    ] as const) {
      // Longer than a busy machine takes to send the call: one that was not sent has changed nothing.
      const args = ['call', ...call, '--json', '--timeout', String(Math.ceil(patient(1_000) / 1_000))]
      const { code, stderr } = await cliInProcess(args, { ...environment, COMMONHOLD_URL: url })
      const { reason, next } = JSON.parse(stderr).error
      assert.deepEqual([code, reason, /The change may have been made/.test(next)], [4, 'unreachable', isUncertain])
    }
  })
})

describe('operations', () => {
  it('are listed as lines of JSON and described as one document with --json', async () => {
    const listed = (await cliInProcess(['call', '--json'], environment)).stdout.trimEnd().split('\n')
    assert.deepEqual(
      listed.map((line) => JSON.parse(line).name),
      OPERATIONS.map(({ name }) => name),
    )
    for (const { name, data, example } of OPERATIONS) {
      const { code, stdout } = await cliInProcess(['call', name, '--describe', '--json'], environment)
      const described = JSON.parse(stdout)
      const schema = JSON.parse(JSON.stringify(data))
      assert.deepEqual([code, described.data, described.example], [0, schema, example], name)
    }
  })
})

describe('a warning of the server', () => {
  it('is written to standard error', async () => {
    const data = '{"emailServiceConfig": {"type": "sendgrid"}, "useEmailService": true}'
    const { code, stderr } = await cliInProcess(['call', 'email-config.update', data], environment)
    assert.equal(code, 0)
    assert.match(stderr, /^warning {2}useEmailService is on, but no mail is sent: set emailServiceConfig\.apiKey/)
  })
})

describe('the data of a call', () => {
  it('are read from a file or from standard input, or are empty', async () => {
    const file = path.join(temporaryFolder(), 'data.json')
    writeFileSync(file, '{"organizations": [{"organizationId": "of-a-file"}]}')
    const fromFile = await cliInProcess(['call', 'organizations.add', `@${file}`], environment)
    assert.equal(JSON.parse(fromFile.stdout)['of-a-file'].success, true)
    const piped = '{"organizations": [{"organizationId": "of-a-pipe"}]}'
    const fromPipe = await cliInProcess(['call', 'organizations.add', '-'], environment, piped)
    assert.equal(JSON.parse(fromPipe.stdout)['of-a-pipe'].success, true)
    assert.equal((await cliInProcess(['call', 'domains.get'], environment)).stdout, '{\n  "allowedDomains": []\n}\n')
  })

  it('are written page by page, one per line, with --pages', async () => {
    const query = '{"pageSize": 1}'
    const { stdout } = await cliInProcess(['call', 'organizations.get', query, '--pages'], environment)
    const pages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      pages.map(({ data }) => data.map(({ id }: { id: string }) => id)),
      [['of-a-file'], ['of-a-pipe']],
    )
    const refused = await cliInProcess(['call', 'domains.get', '--pages'], environment)
    assert.deepEqual([refused.code, refused.stderr.split('\n')[0]], [2, 'error  domains.get has no pages.'])
  })

  it('must be UTF-8 from every source, or nothing is called', async () => {
    const bytes = Buffer.from('{"organizations": [{"organizationId": "caf\u00e9"}]}', 'latin1')
    const file = path.join(temporaryFolder(), 'data.json')
    writeFileSync(file, bytes)
    for (const from of ['-', `@${file}`]) {
      const { code, stderr } = await cliInProcess(['call', 'organizations.add', from], environment, bytes)
      assert.match(
        stderr,
        /cannot be read: in line 1, its byte 43 is 0xe9, which is not UTF-8\.\nnext {3}Save it as UTF-8\./,
      )
      assert.equal(code, 2)
    }
    // Node turns an argument that is not UTF-8 into this.
    const replaced = await cliInProcess(['org', 'add', 'caf\ufffd'], environment)
    assert.match(replaced.stderr, /^error {2}The argument "caf\ufffd" is not UTF-8/)
    const marked = await cliInProcess(['call', 'domains.get', '-'], environment, '\ufeff{}')
    assert.equal(marked.code, 0)
  })

  it('must be a JSON object', async () => {
    for (const [data, says] of [
      ['{"a"', /^error {2}the data must be JSON: /],
      [
        '[]',
        /^error {2}The data must be a JSON object\.\nnext {3}To see its fields: commonhold call OPERATION --describe\n/,
      ],
      ['@/nowhere.json', /^error {2}A file or folder cannot be used: ENOENT.*nowhere\.json/],
    ] as const) {
      const { code, stderr } = await cliInProcess(['call', 'organizations.add', data], environment)
      assert.match(stderr, says)
      assert.equal(code, 2)
    }
  })

  it('is described with --describe, and operations are listed without a name', async () => {
    const { stdout } = await cliInProcess(['call', 'permissions.add', '--describe'])
    for (const part of ['POST /v2/auth/permissions/add', 'group', 'expiresAt', 'document_was_migrated', 'example'])
      assert.ok(stdout.includes(part), part)
    const list = (await cliInProcess(['call'])).stdout
    for (const { name } of OPERATIONS) assert.ok(list.includes(`${name} `), name)
  })
})
