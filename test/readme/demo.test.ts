/** `npm run demo` as a newcomer runs it: it creates the company that it describes, its mistakes are real, and its credentials sign in. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import type { Finding } from '#sdk/generated/operations.ts'
import { createClient, createWorkspaceClient } from '#sdk/index.ts'
import { until } from '#testing/eventually.ts'
import { type Exit, startScript } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { MISTAKES, type Mistake } from '../../scripts/demo/mistakes.ts'
import { ROOT } from '../../scripts/root.ts'

const SCRIPT = path.join(ROOT, 'scripts/demo.ts')
const DAY_SECONDS = 86_400

const runDemo = (url: string): Promise<Exit> => startScript(SCRIPT, {}, ['--url', url]).exited

const server = await sharedServer()
const { url } = server
const first = await runDemo(url)
assert.equal(first.code, 0, first.stderr)

const printed = (name: string, { stdout } = first): string =>
  new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(stdout)?.[1] ?? ''
const apiKey = printed('API key')
const authToken = printed('Auth token')
const workspaceId = printed('Workspace')
const workspaceToken = printed('Workspace token')

const client = createClient({ url, apiKey, authToken })
const owner = createWorkspaceClient({ url, workspaceId, workspaceToken })

const organizationIds = ['larkspur', 'harbor-city', 'trailhead']
const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
const ofEach = <Result>(ask: (organizationId: string) => Promise<Result>): Promise<Result[]> =>
  Promise.all(organizationIds.map(ask))

const { profiles } = await client.profiles.list()
const profileOf = (userId: string) => profiles.find((profile) => profile.userId === userId)
const grants = (await ofEach((organizationId) => client.grants.list({ organizationId }))).flatMap(
  (listed) => listed.grants,
)

const in_ = (type: 'folder' | 'document', id: string) => ({ type, id, organizationId: 'larkspur' })
const folder = (id: string) => in_('folder', id)
const document = (id: string) => in_('document', id)

describe('the company of the demo', () => {
  it('has three organizations, 40 folders to depth 6, 500 documents and 120 people without pictures', async () => {
    assert.deepEqual(
      (await client.organizations.get()).map(({ id }) => id),
      organizationIds.toSorted(),
    )
    const folders = (await ofEach((organizationId) => client.folders.get({ organizationId }))).flat()
    assert.equal(folders.length, 40)
    assert.equal(Math.max(...folders.map(({ ancestors }) => ancestors.length)), 6)
    const documents = await ofEach((organizationId) => client.documents.count({ organizationId }))
    assert.equal(sum(documents.map(({ count }) => count)), 500)
    assert.equal(profiles.length, 120)
    assert.deepEqual(
      profiles.filter(({ photoUrl, email }) => photoUrl !== undefined || !/@example\.(com|org|net)$/.test(email ?? '')),
      [],
    )
  })

  it('has viewers and editors on all levels', () => {
    const levels = new Set(grants.map(({ type, accessRole }) => `${accessRole} of ${type}`))
    assert.equal(levels.size, 6)
  })

  it('has guests whose grants have expired, expire within days, and expire later', () => {
    const now = Date.now() / 1000
    const ends = grants.flatMap(({ userId = '', expiresAt }) =>
      profileOf(userId)?.isGuest === true && expiresAt !== undefined ? [(expiresAt - now) / DAY_SECONDS] : [],
    )
    assert.ok(
      ends.some((days) => days < 0) && ends.some((days) => days > 0 && days < 7) && ends.some((days) => days > 7),
    )
  })

  it('has groups with users in each organization, access types of all kinds and disabled documents', async () => {
    for (const organizationId of organizationIds) {
      const [group] = await client.userGroups.get({ organizationId })
      const organizationUserGroupIds = [group?.groupId ?? '']
      assert.notEqual((await client.users.get({ organizationId, organizationUserGroupIds })).length, 0)
    }
    const documents = (await ofEach((organizationId) => client.documents.get({ organizationId }))).flat()
    assert.equal(new Set(documents.map(({ accessType }) => accessType)).size, 3)
    assert.ok(documents.filter(({ disabled }) => disabled).length > 5)
  })

  it('has a history: in the feeds, in the migrations, in the webhook attempts', async () => {
    const { events } = await client.events.list({ pageSize: 200 })
    const types = new Set(events.map(({ type }) => type))
    for (const type of ['folder.moved', 'document.updated', 'permission.removed', 'document.migration.completed'])
      assert.ok(types.has(type as never), type)
    const revoked = await owner.accountEvents.list({ types: ['auth_token.revoked'] })
    assert.equal(revoked.events.length, 1)
    const { migrations } = await client.migrations.list({ organizationId: 'larkspur' })
    assert.deepEqual(migrations.map(({ status }) => status).sort(), ['completed', 'failed'])

    const { endpoints } = await client.webhookEndpoints.get()
    const endpointId = endpoints.find(({ disabled }) => !disabled)?.id ?? ''
    await until('attempt', async () => {
      const { attempts } = await client.webhookAttempts.list({ endpointId })
      assert.ok(attempts.every(({ success }) => !success))
      return attempts.length > 0
    })
  })
})

const ask = (mistake: Mistake) => {
  assert.ok(mistake.ask)
  return { ...mistake.ask, check: client.check(mistake.ask), explain: client.permissions.explain(mistake.ask) }
}

/** Checks each mistake against its description in the demo. */
const TRUTH: Record<keyof typeof MISTAKES, () => Promise<void>> = {
  async left() {
    const { userId, check } = ask(MISTAKES.left)
    assert.partialDeepStrictEqual(await check, { allowed: true, accessRole: 'editor', reason: 'grant' })
    const member = await client.check({ userId, resource: { type: 'organization', id: 'larkspur' } })
    assert.equal(member.reason, 'no_grant')
    assert.equal(profileOf(userId)?.type, 'former')
  },
  async publicDocument() {
    const { userId, check, explain } = ask(MISTAKES.publicDocument)
    assert.partialDeepStrictEqual(await check, { allowed: true, accessRole: 'editor', reason: 'access_type' })
    assert.partialDeepStrictEqual((await explain).chain, [{ accessType: 'public' }, { accessType: 'restricted' }])
    assert.equal(profileOf(userId)?.isGuest, true)
  },
  async guestOfClient() {
    const { userId, explain } = ask(MISTAKES.guestOfClient)
    const { chain } = await explain
    assert.deepEqual(chain[0]?.grants, [{ accessRole: 'editor', live: true, reaches: true }])
    assert.equal(profileOf(userId)?.isGuest, true)
  },
  async misspelt() {
    const { userId, check, resource } = ask(MISTAKES.misspelt)
    assert.partialDeepStrictEqual(await check, { allowed: true, reason: 'grant' })
    const documentIds = [resource.id, 'steel-invoice']
    const [wrong, right] = await client.documents.get({ organizationId: 'larkspur', documentIds })
    assert.partialDeepStrictEqual(wrong, { code: 'not-found' })
    assert.partialDeepStrictEqual(right, { documentName: 'Steel invoice' })
    assert.equal((await client.check({ userId, resource: document('steel-invoice') })).reason, 'no_grant')
  },
  async contractor() {
    const { userId, check, explain } = ask(MISTAKES.contractor)
    assert.partialDeepStrictEqual(await check, { allowed: false, reason: 'grant_expired' })
    const agoDays = (Date.now() / 1000 - ((await explain).chain[0]?.grants[0]?.expiresAt ?? 0)) / DAY_SECONDS
    assert.ok(agoDays >= 1 && agoDays < 2, `${agoDays}`)
    assert.match(String(profileOf(userId)?.reason), /prolonged/)
  },
  async boundary() {
    const { userId, check } = ask(MISTAKES.boundary)
    assert.partialDeepStrictEqual(await check, { allowed: false, reason: 'no_grant' })
    const around = await client.check({ userId, resource: folder('marketing-campaigns-spring-launch') })
    assert.partialDeepStrictEqual(around, { allowed: true, accessRole: 'editor', reason: 'grant' })
  },
  async disabled() {
    const { check, explain } = ask(MISTAKES.disabled)
    assert.partialDeepStrictEqual(await check, { allowed: false, reason: 'disabled' })
    assert.equal((await explain).chain[0]?.disabled, true)
    const organizationUserGroupIds = ['sales']
    const sales = await client.users.get({ organizationId: 'larkspur', organizationUserGroupIds })
    assert.equal(sales.length, 16)
    const others = sales.map(({ userId }) => client.check({ userId, resource: document('belgium-price-list') }))
    for (const { reason } of await Promise.all(others)) assert.equal(reason, 'grant')
  },
  async narrowed() {
    const { userId, check } = ask(MISTAKES.narrowed)
    assert.equal((await check).accessRole, 'viewer')
    const around = await client.check({ userId, resource: folder('product-cargo-bike') })
    assert.equal(around.accessRole, 'editor')
  },
  async intern() {
    const { userId, check } = ask(MISTAKES.intern)
    assert.equal((await check).accessRole, 'editor')
    assert.equal(profileOf(userId)?.title, 'Intern')
  },
  async keys() {
    const settings = await Promise.all(
      (await owner.apiKeys.get()).map(async ({ id }) => {
        const [token] = (await owner.authTokens.get({ apiKey: id })).authTokens
        return createClient({ url, apiKey: id, authToken: token?.token ?? '' }).keyConfig.get()
      }),
    )
    assert.deepEqual(settings.map((of) => of.defaultDocumentAccessType).sort(), ['public', 'restricted'])
    const rest = settings.map(({ expiringSoonSeconds, userTokenLifetimeSeconds, ownerEmail }) =>
      JSON.stringify({ expiringSoonSeconds, userTokenLifetimeSeconds, ownerEmail }),
    )
    assert.equal(new Set(rest).size, 1)
  },
}

describe('the mistakes that the demo prints', () => {
  for (const [name, mistake] of Object.entries<Mistake>(MISTAKES))
    it(`exist: ${mistake.says}`, async () => {
      assert.ok(first.stdout.includes(mistake.says))
      assert.ok(mistake.ask === undefined || first.stdout.includes(`${mistake.ask.userId} → `))
      await TRUTH[name as keyof typeof MISTAKES]()
    })
})

/** The kind of finding that each mistake is. */
const KIND_OF: Record<keyof typeof MISTAKES, Finding['kind']> = {
  left: 'left_with_access',
  publicDocument: 'public_in_restricted',
  guestOfClient: 'guest_without_end',
  misspelt: 'grant_not_added',
  contractor: 'expired_lately',
  boundary: 'closed_inside',
  disabled: 'disabled_with_grants',
  narrowed: 'weaker_inside',
  intern: 'trainee_edits_everything',
  keys: 'public_by_default',
}

describe('the findings in the demo', () => {
  it('include every mistake, and few others', async () => {
    const { findings, isComplete } = await client.findings.list()
    const { findings: ofWorkspace } = await owner.accountFindings.list()
    assert.ok(isComplete)
    const missing = Object.entries<Mistake>(MISTAKES).filter(
      ([name, { ask }]) =>
        !findings.some(
          ({ kind, resource, userId = ask?.userId }) =>
            kind === KIND_OF[name as keyof typeof MISTAKES] &&
            resource?.id === ask?.resource.id &&
            userId === ask?.userId,
        ) && !(name === 'keys' && ofWorkspace.some(({ kind }) => kind === 'settings_differ')),
    )
    assert.deepEqual(missing, [])
    assert.ok(
      findings.length < 60,
      JSON.stringify(
        findings.map(({ sentence }) => sentence),
        null,
        1,
      ),
    )
  })
})

describe('the credentials that the demo prints', () => {
  const signIn = async (data: object) => {
    const answer = await server.client.with({ 'x-service-session': 'console' }).post('/console/session/start', data)
    return answer.body.result?.data
  }

  it('sign in at the console as the owner of the workspace', async () => {
    assert.ok(first.stdout.includes(`${url}/console`))
    const account = { workspaceId, workspaceName: 'Larkspur (demo)' }
    assert.deepEqual(await signIn({ workspaceId, token: workspaceToken }), account)
  })

  it('sign in at the console with the API key', async () => {
    assert.deepEqual(await signIn({ apiKey, token: authToken }), { apiKey, scopes: ['read', 'write', 'admin'] })
  })
})

describe('the demo', () => {
  it('creates another workspace the second time', async () => {
    const second = await runDemo(url)
    assert.equal(second.code, 0, second.stderr)
    assert.notEqual(printed('Workspace', second), workspaceId)
  })

  it('says how to start a server if none responds', async () => {
    const { code, stderr } = await runDemo('http://127.0.0.1:1')
    assert.equal(code, 1)
    assert.match(stderr, /^No server answers at http:\/\/127\.0\.0\.1:1\. Start one with `npm start`/)
  })
})
