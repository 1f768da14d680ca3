/** Error messages say what was wrong and what to do next, and each has its exit code. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, it } from 'vitest'
import { cli, type Environment, environmentOf, newHome, profilesIn } from '#testing/processes/cli.ts'
import { freePort } from '#testing/processes/free-port.ts'
import { sharedServer } from '#testing/server.ts'
import { announceStart } from '../../server/starting.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()
const callers = await newCallers(server.url)
const good = environmentOf(server.url, callers)

/** An HTTP server that is not Commonhold. */
const other = createServer((request, response) => {
  if (request.url?.startsWith('/slow')) return
  if (request.url?.startsWith('/gateway')) response.writeHead(502).end('<title>Bad gateway</title>')
  else if (request.url?.startsWith('/moved')) response.writeHead(301, { location: server.url }).end()
  else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Welcome to nginx</title>')
})
other.listen(0, '127.0.0.1')
await once(other, 'listening')
afterAll(() => {
  other.closeAllConnections()
  other.close()
})
const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
/** A port without a listener. */
const gone = createServer().listen(0, '127.0.0.1')
await once(gone, 'listening')
const closed = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
gone.close()

/** A server that is starting. */
const PORT = await freePort()
const starting = await announceStart({ HOST: '127.0.0.1', PORT })
const early = `http://127.0.0.1:${PORT}`
afterAll(starting.close)

interface Case {
  args: string[]
  with: Environment
  code: number
  /** Texts that the message must contain, in this order. */
  says: string[]
}

const { COMMONHOLD_AUTH_TOKEN: _, ...withoutToken } = good
const list = ['org', 'list', '--timeout', '2']

const CASES: Record<string, Case> = {
  'a server that is down': {
    args: list,
    with: { ...good, COMMONHOLD_URL: closed },
    code: 4,
    says: [
      `Cannot reach ${closed}`,
      'Is the server running',
      `The address ${closed} is from COMMONHOLD_URL.`,
      'commonhold doctor',
    ],
  },
  'a server that is starting': {
    args: ['workspace', 'create', 'kim@example.com', '--access', 'restricted', '--timeout', '2'],
    with: { COMMONHOLD_URL: early },
    code: 6,
    says: ['The server is starting.', 'Repeat it in a few seconds'],
  },
  'an unknown host': {
    args: list,
    with: { ...good, COMMONHOLD_URL: 'http://commonhold.invalid' },
    code: 4,
    says: ['Cannot reach http://commonhold.invalid', 'is the address right?'],
  },
  'the address of another service': {
    args: list,
    with: { ...good, COMMONHOLD_URL: elsewhere },
    code: 4,
    says: ['the response is not from Commonhold', 'Welcome to nginx', 'is from COMMONHOLD_URL'],
  },
  'an address that redirects': {
    args: list,
    with: { ...good, COMMONHOLD_URL: `${elsewhere}/moved` },
    code: 4,
    says: [`redirects to ${server.url}`],
  },
  'a gateway without a server behind it': {
    args: [...list, '--timeout', '1'],
    with: { ...good, COMMONHOLD_URL: `${elsewhere}/gateway` },
    code: 4,
    says: ['responded with 502', 'from a proxy or gateway'],
  },
  'a server that does not respond in time': {
    args: ['org', 'list', '--timeout', '1'],
    with: { ...good, COMMONHOLD_URL: `${elsewhere}/slow` },
    code: 4,
    says: ['No response from', 'To wait longer: --timeout SECONDS'],
  },
  'an address with /v2': {
    args: list,
    with: { ...good, COMMONHOLD_URL: `${server.url}/v2` },
    code: 2,
    says: ['The address must be the address of the server without /v2', 'It is from COMMONHOLD_URL.'],
  },
  'an invalid address': {
    args: [...list, '--url', 'localhost:8080'],
    with: good,
    code: 2,
    says: ['The address must begin with http:// or https://', 'It is from --url.'],
  },
  'no credentials': {
    args: list,
    with: { COMMONHOLD_URL: server.url },
    code: 3,
    says: [
      `This command needs an API key and its auth token of ${server.url}, and there is none.`,
      'Or set COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN, or save them in a profile: commonhold profile add NAME',
    ],
  },
  'the credentials of a workspace alone': {
    args: list,
    with: { COMMONHOLD_URL: server.url, COMMONHOLD_WORKSPACE_ID: 'w1', COMMONHOLD_WORKSPACE_TOKEN: 'chw_1' },
    code: 3,
    says: [
      `This command needs an API key and its auth token of ${server.url}, and there is only the workspace.`,
      'To list the API keys: commonhold key list. To create a token of one, and save both: commonhold token create NAME API-KEY --save',
    ],
  },
  'no API key, of a command that only needs the workspace': {
    args: ['token', 'list'],
    with: { COMMONHOLD_URL: server.url, COMMONHOLD_WORKSPACE_ID: 'w1', COMMONHOLD_WORKSPACE_TOKEN: 'chw_1' },
    code: 2,
    says: ['[api-key] is missing, and the profile has none.', 'To list the API keys: commonhold key list'],
  },
  'half of the credentials': {
    args: list,
    with: withoutToken,
    code: 3,
    says: ['COMMONHOLD_API_KEY is set without COMMONHOLD_AUTH_TOKEN.'],
  },
  'an unknown token': {
    args: list,
    with: { ...good, COMMONHOLD_AUTH_TOKEN: 'cht_wrong' },
    code: 3,
    says: [
      'is the auth token one of that key?',
      'of the testing environment, is from COMMONHOLD_API_KEY.',
      'commonhold doctor',
    ],
  },
  'a testing key with the token of the production key': {
    args: list,
    with: { ...good, COMMONHOLD_AUTH_TOKEN: await tokenOfProduction() },
    code: 3,
    says: ['is the key of this environment', 'of the testing environment'],
  },
  'a token without the scope': {
    args: ['org', 'add', 'acme'],
    with: { ...good, COMMONHOLD_AUTH_TOKEN: await tokenForReading() },
    code: 3,
    says: ['scope', 'To create a token with more scopes: commonhold token create.'],
  },
  'another header prefix': {
    args: list,
    with: { ...good, COMMONHOLD_HEADER_PREFIX: 'acme' },
    code: 3,
    says: ['If the server has another HEADER_PREFIX, set COMMONHOLD_HEADER_PREFIX'],
  },
  'an invalid field': {
    args: ['org', 'add', ' acme'],
    with: good,
    code: 5,
    says: ['<organization> must not have control characters, or white space at its start or end', 'request '],
  },
  'a document without its organization': {
    args: ['check', 'ada', 'document:roadmap'],
    with: good,
    code: 5,
    says: ['--org is required for a document'],
  },
  'an invalid resource': {
    args: ['check', 'ada', 'roadmap'],
    with: good,
    code: 2,
    says: [
      '<resource> must be organization:ID, folder:ID or document:ID; it is "roadmap".',
      'document:roadmap --org acme',
    ],
  },
  'an invalid time': {
    args: ['grant', 'add', 'ada', 'org:acme', '--expires', 'tomorrow'],
    with: good,
    code: 2,
    says: [
      '--expires must be a time such as 2030-01-31T12:00:00Z, or a date such as 2030-01-31; it is "tomorrow".',
      'A time is a span such as 30d',
    ],
  },
  'an unknown command': {
    args: ['org', 'lst'],
    with: good,
    code: 2,
    says: ["Unknown command 'lst'. Did you mean list?", 'add --help'],
  },
  'an unknown command group': {
    args: ['oganization', 'list'],
    with: good,
    code: 2,
    says: ["Unknown command 'oganization'. Did you mean organization?", 'add --help'],
  },
  'a missing argument': {
    args: ['grant', 'add', 'ada'],
    with: good,
    code: 2,
    says: ["Missing required argument 'resource'.", 'add --help'],
  },
  'a missing option': {
    args: ['folder', 'list'],
    with: good,
    code: 2,
    says: ["Required option '-o, --org <organization>' not specified.", 'add --help'],
  },
  'an irreversible command without a terminal': {
    args: ['org', 'delete', 'acme'],
    with: good,
    code: 2,
    says: [
      'Delete acme with everything in it? There is no terminal to ask for confirmation.',
      'To confirm, add --yes.',
    ],
  },
  'an irreversible command in production': {
    args: ['org', 'delete', 'acme'],
    with: { ...good, COMMONHOLD_API_KEY: 'chk_live_x' },
    code: 2,
    says: [`Delete acme with everything in it? This is the production key chk_live_x at ${server.url}.`, 'add --yes'],
  },
  'a missing file': {
    args: ['import', 'nowhere.ndjson'],
    with: good,
    code: 2,
    says: ['nowhere.ndjson'],
  },
  'a file that is a folder': {
    args: ['import', '.'],
    with: good,
    code: 2,
    says: ['. is a folder.', 'Name a file.'],
  },
  'a file in a missing folder': {
    args: ['export', '/nowhere/acme.ndjson'],
    with: good,
    code: 2,
    says: ['The file /nowhere/acme.ndjson cannot be written (ENOENT).', 'Does the folder exist'],
  },
  'an unknown option': {
    args: ['org', 'list', '--jsn'],
    with: good,
    code: 2,
    says: ["Unknown option '--jsn'. Did you mean --json?"],
  },
  'a command of another name': {
    args: ['why', 'ada', 'document:roadmap'],
    with: good,
    code: 2,
    says: ["Unknown command 'why'. Did you mean explain?", 'add --help'],
  },
  'a verb of another name': {
    args: ['org', 'create', 'acme'],
    with: good,
    code: 2,
    says: ["Unknown command 'create'. Did you mean add?"],
  },
  'an option of another name': {
    args: ['grant', 'add', 'ada', 'organization:acme', '--for=3d'],
    with: good,
    code: 2,
    says: ["Unknown option '--for=3d'. Did you mean --expires?"],
  },
  'an option with the name of its field': {
    args: ['doc', 'add', 'roadmap', '--org', 'acme', '--access-type', 'public'],
    with: good,
    code: 2,
    says: ["Unknown option '--access-type'. Did you mean --access?"],
  },
  'an access type where the role is meant': {
    args: ['grant', 'add', 'ada', 'organization:acme', '--access-type', 'editor'],
    with: good,
    code: 2,
    says: ["Unknown option '--access-type'. Did you mean --role?"],
  },
  'an unknown option of dev itself': {
    args: ['dev', '--prot', '8080'],
    with: good,
    code: 2,
    says: ["Unknown option '--prot'. Did you mean --port?", 'add --help'],
  },
  'an unknown operation': {
    args: ['call', 'permission.add'],
    with: good,
    code: 2,
    says: ['There is no operation "permission.add". Did you mean permissions.add?', 'commonhold call'],
  },
  'an unknown folder': {
    args: ['doc', 'add', 'roadmap', '--org', 'acme', '--create-org', '--folder', 'nowhere'],
    with: good,
    code: 5,
    says: ['The folder does not exist.', 'To list them: commonhold folder list --org ORGANIZATION'],
  },
  'webhooks that were never enabled': {
    args: ['webhooks', 'list'],
    with: environmentOf(server.url, await newCallers(server.url)),
    code: 5,
    says: ['Signed webhooks were never enabled', 'To enable them: commonhold webhooks enable'],
  },
  'a server that sends nothing to this machine': {
    args: ['webhooks', 'listen'],
    with: await withWebhooks(),
    code: 5,
    says: ['The server sends no webhooks to this machine', 'start it with WEBHOOK_ALLOW_PRIVATE=true', '--public-url'],
  },
  'an unknown type of event': {
    args: ['webhooks', 'listen', '--type', 'permision.*'],
    with: good,
    code: 2,
    says: ['--type must be a type of event, such as permission.added or permission.*; it is "permision.*".'],
  },
  'a change of nothing': {
    args: ['settings', 'set'],
    with: good,
    code: 5,
    says: ['At least one option is required.'],
  },
  'an unknown profile': {
    args: [...list, '--profile', 'nowhere'],
    with: good,
    code: 2,
    says: ['There is no profile "nowhere"', 'commonhold profile add'],
  },
  'a profiles file that others can read': {
    args: list,
    with: profilesIn(newHome(), { profiles: { default: { url: server.url } } }, 0o644),
    code: 3,
    says: ['can be read or changed by others (mode 0644).', 'chmod 600'],
  },
  'an invalid profiles file': {
    args: list,
    with: profilesIn(newHome(), { profiles: { default: {} } }),
    code: 3,
    says: ['is not a valid profiles file: the profile default has no url.'],
  },
  'credentials of another server': {
    args: [...list, '--url', closed],
    with: profilesIn(newHome(), {
      profiles: { default: { url: server.url, apiKey: 'chk_test_x', authToken: 'cht_x' } },
    }),
    code: 3,
    says: [
      `This command needs an API key and its auth token of ${closed}`,
      `The credentials of the profile default are for ${server.url} and are sent nowhere else.`,
    ],
  },
}

async function tokenOfProduction(): Promise<string> {
  const { stdout } = await cli(['key', 'create', 'production', 'ada@example.com', '--json'], good)
  return JSON.parse(stdout).authToken
}

async function withWebhooks(): Promise<Environment> {
  assert.equal((await cli(['webhooks', 'enable'], good)).code, 0)
  return good
}

async function tokenForReading(): Promise<string> {
  const key = good.COMMONHOLD_API_KEY ?? ''
  const { stdout } = await cli(['token', 'create', key, 'reading', '--scope', 'read', '--json'], good)
  return JSON.parse(stdout).authToken.token
}

describe('bad input', () => {
  for (const [name, { args, with: environment, code, says }] of Object.entries(CASES))
    it(`reports ${name} and what to do next`, async () => {
      const ended = await cli(args, environment)
      let from = 0
      for (const part of says) {
        const at = ended.stderr.indexOf(part, from)
        assert.ok(at >= 0, `${part}\nis not in\n${ended.stderr}`)
        from = at
      }
      assert.equal(ended.stdout, '')
      assert.equal(ended.code, code)
    })

  it('is one JSON document on standard error with --json', async () => {
    const refused = await cli(['folder', 'list', '--org', 'nowhere', '--json'], good)
    assert.equal(refused.stdout, '')
    const { error } = JSON.parse(refused.stderr)
    assert.deepEqual([error.exitCode, error.status, error.reason], [5, 'NOT_FOUND', 'organization_does_not_exist'])
    assert.equal(typeof error.requestId, 'string')
    const usage = await cli(['folder', 'list', '--json'], good)
    assert.deepEqual([usage.code, JSON.parse(usage.stderr).error.reason], [2, 'usage'])
  })

  it('never shows a secret in an error', async () => {
    const secret = good.COMMONHOLD_AUTH_TOKEN ?? ''
    for (const url of [server.url, closed, elsewhere, `${server.url}/v2`])
      for (const args of [['org', 'add', ' '], ['doctor']]) {
        const { stdout, stderr } = await cli([...args, '--timeout', '1'], { ...good, COMMONHOLD_URL: url })
        assert.ok(!`${stdout}${stderr}`.includes(secret))
      }
  })
})

describe('doctor', () => {
  it('exits with 0 if there is no fault', async () => {
    const { code, stdout } = await cli(['doctor', '--json'], good)
    const { ok, checks } = JSON.parse(stdout)
    assert.deepEqual([code, ok], [0, true])
    assert.deepEqual(
      checks.map(({ check, outcome }: { check: string; outcome: string }) => [check, outcome]),
      [
        ...['profiles', 'address', 'server', 'version', 'ready', 'clock', 'api key', 'access', 'findings', 'scopes'],
        'workspace',
      ].map((check) => [check, check === 'access' ? 'warning' : 'ok']), // the default of this key is public
    )
  })

  it('reports the first fault and how to fix it', async () => {
    for (const [environment, code, says] of [
      [{ ...good, COMMONHOLD_URL: closed }, 4, /✗ server .*ECONNREFUSED.*\n.*→ Is the server running, on this port\?/],
      [
        { ...good, COMMONHOLD_URL: elsewhere },
        4,
        /✗ server .*is not from Commonhold\.\n.*→ Use the address of the server/,
      ],
      [{ ...good, COMMONHOLD_URL: early }, 6, /✗ server +The server is starting\.\n.*→ Repeat it in a few seconds/],
      [{ ...good, COMMONHOLD_AUTH_TOKEN: 'cht_wrong' }, 3, /✓ clock[\s\S]*✗ api key .*\n.*→ .*\n✓ workspace/],
      [{ COMMONHOLD_URL: server.url }, 0, /- api key /],
    ] as const) {
      const ended = await cli(['doctor'], environment)
      assert.match(ended.stdout, says)
      assert.doesNotMatch(ended.stdout, /To diagnose it/)
      assert.equal(ended.code, code)
    }
  })
})
