/** Commands in scripts: their output and their exit codes. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { cli as cliProcess, newHome } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { FULL } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { linesOf, newWorld } from './support/cli-world.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

describe('a workspace from nothing', () => {
  it('is saved in a profile with --save, like its key, and later commands use the profile', async () => {
    const home = { XDG_CONFIG_HOME: newHome() }
    const environment = { ...home, COMMONHOLD_URL: server.url }
    const created = await cli(
      ['workspace', 'create', 'wes@example.com', '--access', 'restricted', '--save'],
      environment,
    )
    assert.equal(created.code, 0)
    const names = created.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0])
    assert.deepEqual(names, ['id', 'name', 'owner', 'authToken', 'apiKey'])
    assert.match(created.stderr, /^Saved in the profile default of .*config\.json\.\n$/)
    await cli(['key', 'create', 'testing', 'wes@example.com', '--name', 'mine', '--save'], home)
    const shown = await cli(['profile', 'show', '--json'], home)
    const { apiKey, authToken } = JSON.parse(shown.stdout)
    assert.match(apiKey, /^chk_test_/)
    assert.match(authToken, /^\*{8}.{4}$/)
    assert.equal((await cli(['org', 'add', 'acme'], home)).stdout, '✓ acme  Organization added successfully.\n')
    assert.equal((await cli(['org', 'add', 'acme'], home)).stdout, '✓ acme  Already there, unchanged.\n')
    const renamed = await cli(['org', 'add', 'acme', '--name', 'Acme Inc.'], home)
    assert.equal(renamed.stdout, '✓ acme  Already there, changed.\n')
    assert.match((await cli(['token', 'list'], home)).stdout, /Default Auth Token/)
    for (const args of [['reader'], ['reader 2', apiKey], [apiKey, 'reader 3']]) {
      const { stdout } = await cli(['token', 'create', ...args, '--scope', 'read', '--json'], home)
      const { id } = JSON.parse(stdout).authToken
      assert.equal(
        (await cli(['token', 'revoke', ...args.map((arg) => (arg === apiKey ? arg : id)), '-y'], home)).code,
        0,
      )
    }
    assert.doesNotMatch((await cli(['token', 'list'], home)).stdout, /reader/)
    assert.match((await cli(['key', 'list'], home)).stdout, /mine/)
    // As docs/guides/use-with-an-assistant.md has it.
    await cli(['token', 'create', 'assistant', '--scope', 'read', '--save', 'assistant'], home)
    const { stdout: listed } = await cli(['org', 'list', '--profile', 'assistant', '--json'], home)
    assert.equal(JSON.parse(listed).id, 'acme')
    assert.equal((await cli(['org', 'add', 'globex', '--profile', 'assistant'], home)).code, 3)
    assert.equal((await cli(['token', 'reset', '--save', '-y'], home)).code, 0)
    assert.equal((await cli(['org', 'list'], home)).code, 0)
    assert.equal((await cli(['org', 'list', '--profile', 'assistant'], home)).code, 3)
    for (const [verb, changed, unchanged] of [
      ['disable', 'API key disabled successfully.', 'Already disabled, unchanged.'],
      ['enable', 'API key enabled successfully.', 'Not disabled, unchanged.'],
    ] as const) {
      assert.equal((await cli(['key', verb, apiKey], home)).stdout, `✓ ${changed}\n`)
      assert.equal((await cli(['key', verb, apiKey], home)).stdout, `✓ ${unchanged}\n`)
    }
  })
})

describe('a user who must not get in', () => {
  it('is disabled and enabled, and listed while disabled', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok('grant', 'add', 'ada', 'organization:acme')
    assert.equal(await ok('user', 'disable', 'ada'), '✓ ada  User disabled successfully.\n')
    assert.match((await run('check', 'ada', 'organization:acme')).stdout, /^denied +user_disabled/)
    assert.match(await ok('user', 'disabled'), /\nada +\d{4}-/)
    assert.match(await ok('user', 'list', '--org', 'acme', '--disabled', 'true'), /^ada .*true/m)
    await ok('user', 'enable', 'ada')
    assert.equal((await run('check', 'ada', 'organization:acme')).code, 0)
  })
})

describe('a grant on what was never added', () => {
  it('is given, and a notice says that an id may be misspelt', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--create-org')
    const give = (...more: string[]) => run('grant', 'add', 'ada', 'document:roadmap', ...more, '--org', 'acme')
    const { code, stderr } = await give('document:raodmap')
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^! Not added before: document:raodmap\. The grant has declared it\. .*--require-known-resources true$/m,
    )
    assert.doesNotMatch((await give()).stderr, /Not added/)
    assert.doesNotMatch((await give('document:other', '--json')).stderr, /Not added/)
  })
})

describe('times', () => {
  it('are shown in one format, which an option changes', async () => {
    const { ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok('grant', 'add', 'ada', 'organization:acme', '--role', 'viewer', '--expires', '30d')
    const list = (...more: string[]) => ok('grant', 'list', '--org', 'acme', ...more)
    assert.match(
      await list('--history'),
      /SINCE +BY +LAST ACTIVE\n.*Default Auth Token|SINCE +BY +LAST ACTIVE\n.*20\d\d-/,
    )
    assert.match(await list(), / \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/)
    assert.match(await list('--times', 'local'), / \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/)
    assert.match(await list('--times', 'relative'), / in 30 days/)
    assert.match(await ok('events', 'list'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /)
  })
})

describe('who has access to a public resource', () => {
  it('is everyone, as the output says before the users with grants', async () => {
    const { ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok('doc', 'add', 'open', '--org', 'acme')
    await ok('doc', 'add', 'closed', '--org', 'acme', '--access', 'restricted')
    for (const id of ['open', 'closed'])
      await ok('grant', 'add', 'ada', `document:${id}`, '--org', 'acme', '--role', 'viewer')
    const [first = '', , second = ''] = (await ok('access', 'users', 'document:open', '--org', 'acme')).split('\n')
    assert.match(first, /^Everyone has access as editor, because the access type is public/)
    assert.match(second, /^ada +viewer/)
    const users = async (id: string) =>
      linesOf(await ok('access', 'users', `document:${id}`, '--org', 'acme', '--json'))
    const [everyone, { userId }] = await users('open')
    assert.deepEqual([everyone, userId], [{ everyone: true, everyoneRole: 'editor' }, 'ada'])
    assert.deepEqual(
      (await users('closed')).map((user) => user.userId),
      ['ada'],
    )
    const preview = ['settings', 'set', '--default-role', 'viewer', '--dry-run']
    assert.match(await ok(...preview), /^Opens 1 document without an access type of its own to everyone/)
    assert.equal(JSON.parse(await ok(...preview, '--json')).openedByDefault.documents, 1)
    const [again] = await users('open')
    assert.equal(again?.everyoneRole, 'editor')
    await ok('settings', 'set', '--default-role', 'viewer')
    assert.match(await ok('access', 'users', 'document:open', '--org', 'acme'), /^Everyone has access as viewer/)
  })
})

describe('who has access to a folder', () => {
  it('is listed with the number of others who have access to something inside, whom --inside lists', async () => {
    const { ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok('folder', 'add', 'payroll', '--org', 'acme', '--access', 'restricted')
    for (const id of ['salaries', 'bonus']) await ok('doc', 'add', id, '--org', 'acme', '--folder', 'payroll')
    await ok('grant', 'add', 'owner', 'folder:payroll', '--org', 'acme')
    const users = (...more: string[]) => ok('access', 'users', 'folder:payroll', '--org', 'acme', ...more)
    const alone = await users()
    assert.match(alone, /^USER .*\nowner .*\n$/)
    await ok('grant', 'add', 'ada', 'document:salaries', 'document:bonus', '--org', 'acme', '--role', 'viewer')
    await ok('grant', 'add', 'bob', 'document:bonus', '--org', 'acme')
    const others =
      '2 others have access to something inside, without access to folder:payroll itself. To list them: --inside\n'
    assert.equal(await users(), alone + others)
    assert.deepEqual(linesOf(await users('--json')).slice(1), [
      { inside: { users: 2 }, everyoneInside: { resources: 0 } },
    ])
    assert.equal(await users('--inside'), 'USER  WIDEST ROLE  RESOURCES\nada   viewer       2\nbob   editor       1\n')
    assert.deepEqual(linesOf(await users('--inside', '--json', '--at-least', 'editor'))[0].userId, 'bob')
    await ok('doc', 'add', 'calendar', '--org', 'acme', '--folder', 'payroll', '--access', 'public')
    const everyone = 'Everyone has access to 1 resource inside as editor, because it is public.\n'
    assert.equal(await users(), alone + others + everyone)
    assert.match(await users('--inside'), new RegExp(`^${everyone}USER`))
    assert.deepEqual(linesOf(await users('--inside', '--json'))[0], {
      everyoneInside: { resources: 1, accessRole: 'editor' },
    })
  })
})

describe('the default access of a key', () => {
  it('is chosen when the key is created; otherwise a notice says that it is public', async () => {
    const { run, ok, environment } = await newWorld(server.url)
    const undecided = await run('key', 'create', 'testing', 'ada@example.com')
    assert.equal(undecided.code, 0)
    assert.match(undecided.stderr, /^Documents are public by default: .* To decide: --access restricted/)
    const { apiKey, authToken } = JSON.parse(
      await ok('key', 'create', 'testing', 'ada@example.com', '--access', 'restricted', '--json'),
    )
    const settings = async (env: Record<string, string>) => (await cli(['doctor'], env)).stdout
    assert.match(await settings(environment), /! access +The default is public: every user of the key can edit/)
    const restricted = { ...environment, COMMONHOLD_API_KEY: apiKey, COMMONHOLD_AUTH_TOKEN: authToken }
    assert.match(await settings(restricted), /✓ access +The default is restricted\./)
  })
})

describe('structure, people and access', () => {
  it('are created, listed and checked', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme', '--name', 'Acme Inc.', '--metadata', '{"plan": "pro"}')
    await ok('folder', 'add', 'plans', '--org', 'acme', '--access', 'restricted')
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--folder', 'plans', '--name', '路线图')
    await ok('user', 'add', 'ada', '--org', 'acme', '--name', 'Ada')
    await ok('group', 'add', 'design', '--org', 'acme')
    await ok('group', 'join', 'design', 'ada', '--org', 'acme')
    await ok(
      'grant',
      'add',
      'ada',
      'folder:plans',
      'doc:roadmap',
      '--org',
      'acme',
      '--role',
      'viewer',
      '--expires',
      '30d',
    )
    assert.deepEqual(linesOf(await ok('org', 'list', '--json')), [
      { id: 'acme', organizationName: 'Acme Inc.', disabled: false, plan: 'pro' },
    ])
    assert.equal(
      await ok('doc', 'list', '--org', 'acme'),
      'DOCUMENT  NAME    FOLDER  ACCESS      DISABLED\nroadmap   路线图  plans   restricted  false\n',
    )
    assert.match(await ok('user', 'list', '--org', 'acme', '--group', 'design'), /^USER +NAME.*\nada +Ada/)
    assert.match(
      await ok('user', 'get', 'ada', 'eve', '--org', 'acme'),
      /^USER +NAME.*\nada +Ada +editor\nNo grant there: eve\. .*commonhold explain USER RESOURCE\n$/,
    )
    assert.match(
      await ok('user', 'get', 'ada', 'eve', '--org', 'acme', '--json'),
      /^\{.*"userId":"ada",.*\}\n\{"missing":\["eve"\]\}\n/,
    )
    assert.match(
      await ok('access', 'users', 'document:roadmap', '--org', 'acme'),
      /\nada +viewer +grant +document:roadmap/,
    )
    assert.match(await ok('access', 'resources', 'ada', '--org', 'acme'), /folder:plans +viewer/)
    await ok('group', 'grant', 'design', 'folder:plans', '--org', 'acme', '--role', 'editor')
    const check = await ok('check', 'ada', 'folder:plans', '--org', 'acme', '--at-least', 'editor')
    assert.equal(check, 'allowed as editor  grant on folder:plans by group:design\n')
    assert.match(await ok('grant', 'list', '--org', 'acme'), /\n +design +folder:plans +editor/)
    assert.match(
      await ok('explain', 'ada', 'folder:plans', '--org', 'acme'),
      /user group "design", which the user is in,/,
    )
    await ok('group', 'revoke', 'design', 'folder:plans', '--org', 'acme')
    assert.doesNotMatch(await ok('grant', 'list', '--org', 'acme'), /design/)
    const explained = await run('explain', 'eve', 'document:roadmap', '--org', 'acme')
    assert.match(explained.stdout, /^denied\n.*\nRule 6: .*\n\nRESOURCE/)
  })

  it('make `check` exit with 0 for yes, 1 for no, and another code on failure', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('grant', 'add', 'ada', 'org:acme', '--role', 'viewer')
    const yes = await run('check', 'ada', 'organization:acme')
    assert.deepEqual([yes.code, yes.stdout], [0, 'allowed as viewer  grant on organization:acme\n'])
    const no = await run('check', 'ada', 'organization:acme', '--at-least', 'editor')
    assert.deepEqual([no.code, no.stdout], [1, 'denied  no_grant\n'])
    const mistyped = await run('check', 'ada', 'document:opne', '--org', 'acme')
    assert.match(mistyped.stdout, /^denied {2}does_not_exist: nothing with this id was added, /)
    await ok('doc', 'add', 'open', '--org', 'acme')
    const open = 'allowed as editor  access_type by default  public: every user of the API key has access\n'
    assert.equal(await ok('check', 'eve', 'document:open', '--org', 'acme'), open)
    assert.match(
      await ok('access', 'resources', 'eve', '--org', 'acme'),
      /document:open +editor +access_type +by default/,
    )
    const json = await run('check', 'eve', 'organization:acme', '--json')
    assert.deepEqual([json.code, JSON.parse(json.stdout).checks[0].allowed], [1, false])
    assert.equal((await run('check', 'ada', 'document:roadmap')).code, 5)
    assert.equal((await run('check', 'ada', 'roadmap')).code, 2)
  })

  it('exit with 5 and name the item if one of several was refused', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    const { code, stdout, stderr } = await run('org', 'disable', 'acme', 'globex')
    assert.equal(code, 5)
    assert.match(stdout, /^✓ acme /)
    assert.equal(stderr, '✗ globex  The organization does not exist.\nnext   To list them: commonhold org list\n')
    const got = await run('org', 'get', 'acme', 'globex', '--json')
    assert.equal(got.code, 5)
    assert.deepEqual(
      linesOf(got.stdout).map(({ id, success }) => [id, success]),
      [
        ['acme', undefined],
        ['globex', false],
      ],
    )
  })
})

describe('requested domains', () => {
  it('are listed, accepted and rejected', async () => {
    const { ok } = await newWorld(server.url)
    for (const domain of ['good.example.com', 'bad.example.com'])
      await ok('call', 'domain-requests.add', JSON.stringify({ domain, clientDocumentId: 'roadmap' }))
    const requests = async () => linesOf(await ok('domain', 'requests', '--json'))
    const idOf = async (wanted: string) => (await requests()).find(({ domain }) => domain === wanted).id
    await ok('domain', 'accept', await idOf('good.example.com'))
    await ok('domain', 'reject', await idOf('bad.example.com'))
    const [head, ...rows] = (await ok('domain', 'requests')).trimEnd().split('\n')
    assert.match(head ?? '', /^REQUEST +DOMAIN +STATUS +ORGANIZATION +DOCUMENT +REQUESTED$/)
    assert.deepEqual(
      rows.map((row) => row.split(/ +/).slice(1, 4).join(' ')),
      ['bad.example.com rejected roadmap', 'good.example.com accepted roadmap'],
    )
    assert.equal(await ok('domain', 'list'), 'DOMAIN\ngood.example.com\n')
  })
})

describe('lists', () => {
  it('are complete, or end at --limit with a note that there are more rows', async () => {
    const { run, ok, environment } = await newWorld(server.url)
    const organizations = Array.from({ length: 1_005 }, (_, index) => ({ organizationId: `o${index}` }))
    await cli(
      ['call', 'organizations.add', '-'],
      environment,
      JSON.stringify({ organizations: organizations.slice(0, 1_000) }),
    )
    await cli(
      ['call', 'organizations.add', '-'],
      environment,
      JSON.stringify({ organizations: organizations.slice(1_000) }),
    )
    assert.equal(linesOf(await ok('org', 'list', '--json')).length, 1_005)
    assert.equal((await ok('org', 'list')).trimEnd().split('\n').length, 1_006)
    const { stdout, stderr } = await run('org', 'list', '--limit', '2')
    assert.equal(stdout, 'ORGANIZATION  NAME  DISABLED\no0                  false\no1                  false\n')
    assert.equal(stderr, 'The first 2 are shown. To show more: --limit NUMBER, or --limit all.\n')
    assert.equal((await run('org', 'list', '--limit', '1005')).stderr, '')
    assert.equal((await run('org', 'list', '--limit', 'none')).code, 2)
  })

  it('print a note on standard error if they are empty', async () => {
    const { run } = await newWorld(server.url)
    const empty = await run('org', 'list')
    assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, '', 'None.\n'])
    assert.equal((await run('org', 'list', '--json')).stdout, '')
  })
})

describe('names from other people', () => {
  it('cannot send control characters to the terminal', async () => {
    const { ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme', '--name', 'red \u001b[31m and \u202eback')
    assert.match(await ok('org', 'list'), /red \\u001b\[31m and \\u202eback/)
  })
})

describe('irreversible commands', () => {
  it('require --yes without a terminal', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    const { code, stderr } = await run('org', 'delete', 'acme')
    assert.equal(code, 2)
    assert.equal(
      stderr,
      'error  Delete acme with everything in it? There is no terminal to ask for confirmation.\nnext   To confirm, add --yes.\n',
    )
    assert.match(await ok('org', 'delete', 'acme', '--yes'), /^✓ acme /)
  })
})

describe('user revoke', () => {
  it('shows what it would remove, asks, waits for the end, and shows that nothing is left except public resources', async () => {
    const { run, ok } = await newWorld(server.url)
    for (const org of ['acme', 'globex']) await ok('user', 'add', 'ada', '--org', org)
    await ok(
      'grant',
      'add',
      'ada',
      'document:roadmap',
      '--org',
      'acme',
      '--role',
      'viewer',
      '--expires',
      '2030-01-31T12:00:00Z',
    )
    await ok('group', 'add', 'design', '--org', 'acme')
    await ok('group', 'join', 'design', 'ada', '--org', 'acme')
    await ok('doc', 'add', 'open', '--org', 'globex', '--access', 'public')

    const dry = await ok('user', 'revoke', 'ada', '--dry-run')
    const [, counts, , , ...items] = dry.split('\n')
    assert.match(counts ?? '', /^ada +2 +3 +1 +1 +false$/)
    assert.match(
      items.join('\n'),
      /^ada +acme +organization:acme +editor\nada +acme +document:roadmap +viewer +2030-01-31T12:00:00Z\nada +globex +organization:globex +editor\nada +acme +group:design\n/,
    )
    const open =
      /Public: the default of the API key\. .* as editor .*\nPublic: .* in 1 of the organizations, .*: globex\n$/
    assert.match(dry, open)

    const declined = await run('user', 'revoke', 'ada')
    assert.equal(declined.code, 2)
    assert.match(declined.stderr, /Revoke all of this, and the user tokens of ada\? There is no terminal/)

    const { code, stdout, stderr } = await run('user', 'revoke', 'ada', '--yes')
    assert.equal(code, 0)
    assert.match(stdout, /✓ Removed: 3 grants \(1 temporary\) and 1 group membership\. .*\n✓ Nothing is left of: ada\n/)
    assert.match(stdout, open)
    const [, jobId = ''] = /^The job is (\S+)\./.exec(stderr) ?? []
    assert.match(await ok('user', 'revocation', jobId), /^jobId +\S+\nstatus +completed\n/)
    assert.match(await ok('user', 'revoke', 'ada', '--dry-run'), /\nada +0 +0 +0 +0 +false\n/)
    assert.equal(await ok('access', 'resources', 'ada', '--org', 'acme').then((text) => text.includes('grant')), false)
  })

  it.runIf(FULL)('also disables the user with --disable', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('user', 'add', 'ada', '--org', 'acme')
    await ok('doc', 'add', 'open', '--org', 'acme')
    const shown = await ok('user', 'revoke', 'ada', '--disable', '--yes')
    assert.match(shown, /✓ Nothing is left of: ada\n✓ Disabled, so access to public resources is blocked too: ada\n/)
    const { code, stdout } = await run('check', 'ada', 'document:open', '--org', 'acme')
    assert.deepEqual([code, stdout], [1, 'denied  user_disabled\n'])
  })

  it.runIf(FULL)('adds up all pages, and has the state before and after with --json', async () => {
    const { ok, environment } = await newWorld(server.url)
    const ids = Array.from({ length: 60 }, (_, index) => `o${index + 10}`)
    const grants = ids.map((id) => ({ userId: 'user 7', type: 'organization', id, accessRole: 'viewer' }))
    await cli(['call', 'grants.add', '-'], environment, JSON.stringify({ grants }))
    const users = Array.from({ length: 500 }, (_, index) => `user ${index}`)
    const json = JSON.parse(await ok('user', 'revoke', ...users, '--yes', '--json'))
    assert.deepEqual(json.removed, { grants: 60, temporaryGrants: 0, userGroups: 0 })
    const [before, after] = [json.before.users[7], json.after.users[7]]
    assert.deepEqual([before.organizations, before.grants, after.grants], [60, 60, 0])
    assert.deepEqual(before.firstOrganizations, ids.slice(0, 10))
  })
})

describe('user tokens', () => {
  it('are the only output, and are verified from standard input', async () => {
    const { ok, environment } = await newWorld(server.url)
    const token = (await ok('user', 'token', 'ada')).trim()
    const verified = await cli(['user', 'verify'], environment, token)
    assert.equal(verified.code, 0)
    assert.match(verified.stdout, /^active +true\nuserId +ada\n/)
    await ok('user', 'sign-out', 'ada')
    const revoked = await cli(['user', 'verify', '--json'], environment, token)
    assert.deepEqual([revoked.code, JSON.parse(revoked.stdout).reason], [1, 'revoked'])
  })
})

describe('migrate', () => {
  it('waits for the migration with --watch, and exits with 1 if it would fail', async () => {
    const { run, ok } = await newWorld(server.url)
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--create-org')
    const done = await run('migrate', 'start', 'roadmap', 'plan', '--org', 'acme', '--watch')
    assert.deepEqual([done.code, done.stdout], [0, '✓ roadmap is now plan.\n'])
    const [migration] = linesOf(await ok('migrate', 'list', '--org', 'acme', '--json'))
    assert.equal(migration.status, 'completed')
    const watched = await ok('migrate', 'status', migration.migrationId, '--org', 'acme', '--watch', '--json')
    assert.equal(JSON.parse(watched).percent, 100)
    const dry = await run('migrate', 'start', 'roadmap', 'other', '--org', 'acme', '--dry-run')
    assert.equal(dry.code, 1)
    assert.match(dry.stdout, /^wouldSucceed +false\n/)
  })
})

// The library of completion writes to the console of its process.
describe('help and completion', () => {
  it.runIf(FULL)('completes nouns, verbs, options and operations', async () => {
    const of = async (...words: string[]) => (await cliProcess(['complete', '--', ...words])).stdout
    assert.match(await of('gr'), /^grant\t.*\ngroup\t.*\n|^group\t.*\ngrant\t/m)
    assert.match(await of('grant', ''), /^add\t/m)
    assert.match(await of('grant', 'add', '--ro'), /^--role\t/m)
    assert.match(await of('grant', 'add', 'ada', 'org:acme', '--role', ''), /^viewer\t\ncommenter\t\neditor\t/m)
    assert.match(await of('call', 'permissions.'), /^permissions\.add\t/m)
  })

  it.runIf(FULL)('has a completion script for each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      const { code, stdout } = await cliProcess(['completion', shell])
      assert.equal(code, 0)
      assert.match(stdout, /commonhold/)
    }
    assert.equal((await cliProcess(['completion', 'tcsh'])).code, 2)
  })

  it('has no colours without a terminal', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    for (const args of [['--help'], ['call'], ['org', 'list']]) assert.doesNotMatch((await cli(args)).stdout, /\u001b/)
  })
})
