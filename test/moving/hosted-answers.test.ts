/** Moving from a hosted service: the conversion does with the answers what the check predicts. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'vitest'
import { COMMENT_ACT_TYPES } from '#contract/comments/acts.ts'
import { FAMILIES, typesOf } from '#contract/events/event-types.ts'
import type { MovingFailure } from '#moving/failure.ts'
import { exportEntries } from '#moving/files/entries.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import {
  HOSTED_KEY,
  HOSTED_TOKEN,
  type HostedBehaviour,
  startHostedService,
} from '#testing/stand-ins/hosted-service.ts'
import { checkedPortions } from '../../cli/moving/check.ts'
import { ROOT } from '../../scripts/root.ts'
import { faultsIn, writeExport } from './files.ts'

const folder = temporaryFolder()
const inFolder = (name: string) => path.join(folder, name)
const GUIDE = readFileSync(path.join(ROOT, 'docs/guides/move-from-a-hosted-service.md'), 'utf8')

/** Runs the program of the guide, which calls a hosted service, and writes its output to a file. */
async function writeAnswers(file: string, hosted: HostedBehaviour = {}): Promise<void> {
  for (const name of ['call.mjs', 'answers.mjs']) {
    const [, code = ''] = new RegExp(`^cat > ${name} <<'END'\n(.*?)^END$`, 'ms').exec(GUIDE) ?? []
    writeFileSync(inFolder(name), code)
  }
  const { url: OLD_URL } = await startHostedService(hosted)
  const env = { ...process.env, OLD_URL, OLD_API_KEY: HOSTED_KEY, OLD_AUTH_TOKEN: HOSTED_TOKEN }
  const program = spawn(process.execPath, [inFolder('answers.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  writeFileSync(file, await text(program.stdout))
}

interface Remark {
  line: number
  outcome: 'refused' | 'changed' | 'leftOut'
  reason: string
  what: string
  message: string
}

const answers = inFolder('answers.ndjson')
await writeAnswers(answers)
const server = await sharedServer()

async function check(file: string, ...options: string[]) {
  const { code, stdout, stderr } = await cli(['move', 'check', file, '--json', ...options])
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { summary } = lines.pop()
  return { code, stderr, summary, remarks: lines as Remark[] }
}

const said = (remarks: readonly Remark[], outcome: string) =>
  remarks.filter((remark) => remark.outcome === outcome).map(({ what, reason }) => `${what}: ${reason}`)

describe('move check', () => {
  it('reports what is refused, changed and left out of a hosted service', async () => {
    const { code, summary, remarks } = await check(answers)
    assert.equal(code, 5)
    const long = 'x'.repeat(257)
    assert.deepEqual(said(remarks, 'refused'), [
      'domain not a domain: invalid_domain',
      'webhook endpoint ftp://hooks.example.com: invalid_record',
      `folder acme/${long}: invalid_record`,
      'document acme/misspelt: invalid_record',
      'user  : invalid_record',
      'user 42: id_is_a_number',
      'user dave: invalid_record',
      'grant of dave on folder acme/2027: expiry_invalid',
      'thread acme/lost: parent_not_moved',
      'notification preference of eve in acme: invalid_record',
      'folder globex/odd: invalid_record',
      'document globex/minutes: parent_not_moved',
      'document initech/7: id_is_a_number',
      'organization  : invalid_record',
    ])
    const where = (reason: string) => remarks.filter((one) => one.reason === reason).map(({ what }) => what)
    assert.deepEqual(where('domain_normalized'), ['domain https://App.Example.com/'])
    assert.deepEqual(where('expiry_rounded'), ['grant of eve on document acme/roadmap'])
    assert.deepEqual(where('access_type_of_its_own'), ['document acme/handbook', 'document acme/price-list'])
    assert.deepEqual(where('agent_of_the_service'), ['thread acme/checked'])
    assert.deepEqual(where('empty_name'), ['organization initech'])
    assert.deepEqual(
      where('endpoint_disabled'),
      ['comments', 'everything'].map((name) => `webhook endpoint https://hooks.example.com/${name}`),
    )
    assert.deepEqual(
      said(remarks, 'leftOut').filter((one) => !one.includes('webhook endpoint')),
      [
        'settings: setting_not_moved',
        'workspace/webhookconfig/get: configure_by_hand',
        'folder acme/plans: folder_times',
        'grant of dave on document acme/budget: denied_there',
        ...['drafts', 'seen_unknown', 'thread_number', 'reactions'].map(
          (reason) => `thread acme/-Oabc0DEfghi1JKlmn2: ${reason}`,
        ),
        'notification acme/1234567890123457: notification_of_comment',
      ],
    )
    assert.match(remarks.find(({ what }) => what.endsWith('price-list'))?.message ?? '', /more users may have access/)
    assert.match(remarks.find(({ what }) => what.endsWith('handbook'))?.message ?? '', /fewer users may have access/)
    const count = (outcome: string) => remarks.filter((remark) => remark.outcome === outcome).length
    const { records, ...counts } = summary
    assert.deepEqual(counts, { refused: count('refused'), changed: count('changed'), leftOut: count('leftOut') })
    assert.ok(records > 30, String(records))
    for (const { line, message } of remarks) assert.ok(line > 1 && message.length > 10)
  })

  it('accepts what import accepts, and predicts what it refuses', async () => {
    const file = inFolder('export.ndjson')
    const organizationId = 'acme'
    writeExport(file, [
      { record: 'domain', domain: 'https://App.Example.com/' },
      { record: 'domain', domain: 'not a domain' },
      { record: 'organization', organizationId },
      { record: 'organization', organizationId: ' ' },
      { record: 'document', organizationId, documentId: 'd', metadata: { accesRole: 'viewer' } },
      { record: 'grant', userId: 'ada', type: 'document', id: 'd' },
      { record: 'grant', userId: 'ada', type: 'organization', id: organizationId, expiresAt: 1_700_000_000 },
      { record: 'grant', userId: 'ada', type: 'organization', id: organizationId, expiresAt: 1_700_000_000_000 },
    ])
    const { code, remarks } = await check(file)
    assert.equal(code, 5)
    assert.deepEqual(said(remarks, 'changed'), [
      'domain https://App.Example.com/: domain_normalized',
      'grant of ada on organization acme: expired',
    ])
    const imported = await cli(['import', file, '--json'], environmentOf(server.url, { apiKey: await server.newKey() }))
    const { errorsFile } = JSON.parse(imported.stdout)
    const refused = readFileSync(errorsFile, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).line)
    const predicted = remarks.filter(({ outcome }) => outcome === 'refused').map(({ line }) => line)
    assert.deepEqual(
      predicted,
      refused.toSorted((one, other) => one - other),
    )
  })

  it('gets all answers of a key that never switched on signed webhooks', async () => {
    const file = inFolder('without-webhooks.ndjson')
    await writeAnswers(file, { hasSignedWebhooks: false })
    const pathsIn = (name: string) =>
      readFileSync(name, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ path }) => path !== 'workspace/advancedwebhook/endpoints/get')
        .map(({ record, path }) => [record, path])
    assert.deepEqual(pathsIn(file), pathsIn(answers))
  })

  it('is not replaced by import, which says how to convert the answers', async () => {
    await assert.rejects(exportEntries(createReadStream(answers), 'apiKey').next(), ({ next }: MovingFailure) =>
      /commonhold move convert/.test(next),
    )
  })

  it('reports a truncated file, and a file of another kind', async () => {
    const file = inFolder('broken.ndjson')
    const whole = readFileSync(answers, 'utf8')
    writeFileSync(file, whole.slice(0, -40))
    assert.match((await check(file)).summary.cutOff, /truncated/)
    writeFileSync(file, whole.replace(/^.*users\/get.*\n/m, ''))
    assert.match((await check(file)).summary.cutOff, /counts \d+ records, but the file has/)
    writeFileSync(file, 'userId,name\n')
    const other = await cli(['move', 'check', file])
    assert.deepEqual([other.code, /not an export/.test(other.stderr)], [2, true])
    const missing = await cli(['move', 'check', inFolder('nowhere')])
    assert.deepEqual([missing.code, /cannot be read \(ENOENT\)/.test(missing.stderr)], [2, true])
  })
})

const FUTURE = 4_102_444_800
const PAST = 1_700_000_000

/** Returns the grants that one user gets in an organization with a folder and a document in it. */
async function grantsOf(listed: Record<string, object>, permissions: object): Promise<string[]> {
  const within = { organizationId: 'acme' }
  const places: Record<string, object> = { acme: {}, plans: { folderId: 'plans' }, roadmap: { documentId: 'roadmap' } }
  const lines = [
    ['organizations/get', {}, { id: 'acme' }],
    ['organizations/folders/get', within, { folderId: 'plans', accessType: 'restricted', parentFolderId: 'root' }],
    ['organizations/documents/get', within, { id: 'roadmap', folderId: 'plans', accessType: 'restricted' }],
    ...Object.entries(listed).map(([id, user]) => [
      'users/get',
      { ...within, ...places[id] },
      { userId: 'ada', ...user },
    ]),
    ['auth/permissions/get', within, { userId: 'ada', ...permissions }],
  ]
  const records = lines.map(([path, within, item]) => ({ record: 'answer', path, in: within, item }))
  const file = [{ record: 'answers', format: 1 }, ...records, { record: 'end', records: records.length }]
  const text = file.map((line) => `${JSON.stringify(line)}\n`).join('')
  const found: string[] = []
  const options = { documentAccess: 'own', nowSeconds: FUTURE - 1_000 } as const
  for await (const { records } of checkedPortions(Readable.from([Buffer.from(text)]), options))
    for (const one of records)
      if (one.record === 'grant')
        found.push(
          [one.id, one.accessRole, one.expiresAt, one.replaceExisting].filter((part) => part !== undefined).join(' '),
        )
  return found
}

describe('grants', () => {
  const viewer = { accessRole: 'viewer' }
  const editorUntil = (expiresAt: number) => ({ accessRole: 'editor', expiresAt })

  it('keep a permanent role beside a temporary one, also after that has expired', async () => {
    const ofDocument = (entry: object) => grantsOf({ roadmap: viewer }, { documents: { roadmap: entry } })
    assert.deepEqual(await ofDocument(editorUntil(FUTURE)), ['roadmap viewer', `roadmap editor ${FUTURE}`])
    assert.deepEqual(await ofDocument(editorUntil(PAST)), ['roadmap viewer true'])
    assert.deepEqual(await ofDocument(viewer), ['roadmap viewer true'])
    assert.deepEqual(await ofDocument({ accessType: 'restricted' }), ['roadmap viewer true'])
  })

  it('are created where a temporary role is given, and not where it is inherited', async () => {
    const both = { folders: { plans: editorUntil(FUTURE) }, documents: { roadmap: editorUntil(FUTURE) } }
    assert.deepEqual(await grantsOf({}, both), [`plans editor ${FUTURE} true`])
    assert.deepEqual(await grantsOf({ roadmap: viewer }, both), [`plans editor ${FUTURE} true`, 'roadmap viewer true'])
    assert.deepEqual(await grantsOf({}, { documents: both.documents }), [`roadmap editor ${FUTURE} true`])
  })

  it('are not created for access that is inherited, denied, or not known to last', async () => {
    const denied = { errorCode: 'permission_denied' }
    assert.deepEqual(await grantsOf({}, { documents: { roadmap: viewer } }), [])
    assert.deepEqual(await grantsOf({ roadmap: {} }, { documents: { roadmap: denied } }), [])
    assert.deepEqual(await grantsOf({ roadmap: {} }, { documents: { roadmap: editorUntil(FUTURE) } }), [
      `roadmap editor ${FUTURE} true`,
    ])
    assert.deepEqual(await grantsOf({ plans: {} }, {}), ['plans viewer true'])
  })
})

describe('move convert', () => {
  it('writes nothing if something is refused, unless it may leave that out; the rest can be imported', async () => {
    const file = inFolder('data.ndjson')
    const refused = await cli(['move', 'convert', answers, file])
    assert.equal(refused.code, 5)
    assert.match(refused.stderr, /--skip-refused/)
    assert.throws(() => readFileSync(file), /ENOENT/)

    const converted = await cli(['move', 'convert', answers, file, '--skip-refused'])
    assert.equal(converted.code, 0, converted.stderr)
    const key = await server.newKey()
    const client = apiKeyClient(server.url, key)
    const environment = environmentOf(server.url, { apiKey: key })
    const withoutWebhooks = await cli(['import', file], environment)
    assert.equal(withoutWebhooks.code, 5)
    assert.deepEqual(
      faultsIn(`${file}.import-errors`).map(({ reason }) => reason),
      ['advanced_webhooks_disabled', 'advanced_webhooks_disabled'],
    )
    await client.advancedWebhookConfig.update({ isEnabled: true })
    for (const round of ['first', 'again']) {
      const { code, stderr } = await cli(['import', file], environment)
      assert.equal(code, 0, `${round}: ${stderr}`)
    }
    const { endpoints } = await client.webhookEndpoints.get()
    assert.deepEqual(
      endpoints
        .map(({ url, uid, disabled, channels, rateLimit }) => ({ url, uid, disabled, channels, rateLimit }))
        .filter(({ channels }) => channels !== null),
      [
        {
          url: 'https://hooks.example.com/everything',
          uid: 'ep_everything',
          disabled: true,
          channels: ['acme'],
          rateLimit: 10,
        },
      ],
    )
    assert.deepEqual((await client.domains.get()).allowedDomains, ['app.example.com', '*.example.org'])
    const [budget = {}] = await client.documents.get({ organizationId: 'acme', documentIds: ['budget'] })
    const { createdBy, permissions, status, folderId } = budget as Record<string, unknown>
    assert.deepEqual([createdBy, permissions, status, folderId], ['kim', { print: true }, 'final', 'plans'])
    const { grants } = await client.grants.list({ organizationId: 'acme' })
    assert.deepEqual(
      grants
        .filter(({ expiresAt }) => expiresAt !== undefined)
        .map(({ userId, id, expiresAt }) => [userId, id, expiresAt]),
      [
        ['fay', 'plans', 4_102_444_800],
        ['fay', 'handbook', 4_102_444_800],
        ['eve', 'roadmap', 4_102_444_801],
      ],
    )
    const disabled = await client.grants.list({ organizationId: 'globex' })
    assert.deepEqual(
      disabled.grants.map(({ userId, id, accessRole }) => [userId, id, accessRole]),
      [
        ['dave', 'globex', 'viewer'],
        ['dave', 'invoice', 'viewer'],
      ],
    )
  })

  it('moves threads with their times, people and followers, private notifications, preferences and activities', async () => {
    const file = inFolder('threads.ndjson')
    await cli(['move', 'convert', answers, file, '--skip-refused'])
    const key = await server.newKey()
    const client = apiKeyClient(server.url, key)
    await client.advancedWebhookConfig.update({ isEnabled: true })
    const imported = await cli(['import', file], environmentOf(server.url, { apiKey: key }))
    assert.equal(imported.code, 0, imported.stderr)
    const organizationId = 'acme'
    const threads = await client.threads.get({ organizationId, order: 'asc' })
    const [moved, checked] = threads as Extract<(typeof threads)[number], { annotationId: string }>[]
    assert.deepEqual([moved?.annotationId, checked?.annotationId], ['-Oabc0DEfghi1JKlmn2', 'checked'])
    const { createdAt, lastUpdated, resolvedByUserId, context, comments = [] } = moved ?? {}
    assert.deepEqual([createdAt, lastUpdated, resolvedByUserId], [1_750_000_000_000, 1_750_000_100_000, 'bob'])
    assert.deepEqual(context, { access: { team: 'sales' }, accessFields: ['team:sales'] })
    assert.deepEqual(
      comments.map(({ commentId, status, createdAt, lastUpdated, from }) => [
        commentId,
        status,
        createdAt,
        lastUpdated,
        from.userId,
      ]),
      [
        [100_001, 'added', 1_750_000_100_001, '2025-06-15T15:06:40.000Z', 'ada'],
        [100_002, 'updated', 1_750_000_100_002, '2025-06-15T15:06:40.000Z', 'bob'],
      ],
    )
    const people = (map: object = {}) => Object.values(map).map(({ user, type }) => `${user.userId} ${type}`)
    assert.deepEqual(people(moved?.subscribedUsers), ['ada auto', 'bob auto'])
    assert.deepEqual(people(moved?.unsubscribedUsers), ['eve manual'])
    assert.deepEqual([checked?.visibilityConfig.type, checked?.agent?.agentSource], ['organizationPrivate', 'external'])
    const count = await client.threads.count({ organizationId, documentIds: ['roadmap'], userId: 'bob' })
    assert.equal(count.roadmap?.total, 1)
    const notifications = await client.notifications.get({ organizationId, documentId: 'roadmap' })
    assert.deepEqual(
      notifications.map(({ id, timestamp, notifyUsersByUserId }) => [
        id,
        timestamp,
        Object.keys(notifyUsersByUserId).length,
      ]),
      [['1234567890123456', 1_750_000_000_000, 2]],
    )
    const [ofOrganization, ofRoadmap] = await client.notificationPreferences.get({ organizationId, userId: 'bob' })
    assert.deepEqual([ofOrganization?.config, ofRoadmap?.config.inbox], [{ inbox: 'MINE', email: 'NONE' }, 'ALL'])
    const [activity] = await client.activities.get({ organizationId })
    assert.deepEqual([activity?.id, activity?.timestamp, activity?.immutable], ['act-1', 1_750_000_000_000, true])
  })

  it('lets documents follow their folders', async () => {
    const file = inFolder('folder.ndjson')
    await cli(['move', 'convert', answers, file, '--skip-refused', '--document-access', 'folder'])
    const documents = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ record, folderId }) => record === 'document' && folderId !== undefined)
    assert.equal(documents.length, 5)
    assert.deepEqual(
      documents.filter(({ accessType }) => accessType !== undefined),
      [],
    )
  })
})

describe('the mapping of webhook events in the guide', () => {
  it('says of each event of the hosted service whether Commonhold sends it too, and names all that are sent', () => {
    const [, table = ''] = /^## Check webhook receivers$(.*?)^`filterTypes`/ms.exec(GUIDE) ?? []
    const rows = [...table.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2)
    assert.ok(rows.length >= 10, String(rows.length))
    const named: string[] = []
    for (const [, there = '', here = ''] of rows) {
      for (const [, family = ''] of here.matchAll(/`([a-z_.]+\.\*)`/g)) assert.ok(FAMILIES.includes(family), family)
      for (const [, type = ''] of there.matchAll(/`([a-z_.-]+\.[a-z_.*-]+)`/g)) {
        named.push(type)
        assert.equal(COMMENT_ACT_TYPES.includes(type) || typesOf([type]).length > 0, here === 'the same', type)
      }
    }
    for (const type of COMMENT_ACT_TYPES) assert.ok(named.includes(type), type)
  })
})
