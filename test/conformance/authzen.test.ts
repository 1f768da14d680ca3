/**
 * AuthZEN 1.0: the examples of the standard with our ids and types, its defaults, semantics and errors. Its decisions
 * equal those of permissions.check.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { beforeAll, describe, it } from 'vitest'
import { EVALUATION_EXAMPLE, EVALUATIONS_EXAMPLE } from '#contract/access/authzen.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { disableApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from './support/callers.ts'

const server = await sharedServer()
const organizationId = 'acme'
let key: Client

interface Answered {
  http: number
  headers: Headers
  text: string
}

async function send(url: string, path: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url + path, { method: 'POST', ...init })
  return { http: response.status, headers: response.headers, text: await response.text() }
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}, client: Client = key) =>
  send(server.url, path, {
    headers: { 'content-type': 'application/json', ...client.headers, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

async function asked(path: string, body: unknown) {
  const answer = await post(path, body)
  assert.equal(answer.http, 200, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  return JSON.parse(answer.text)
}
const evaluate = (body: unknown) => asked('/access/v1/evaluation', body)
const evaluateMany = (body: unknown) => asked('/access/v1/evaluations', body)
const decisionsOf = ({ evaluations }: { evaluations: { decision: boolean }[] }) =>
  evaluations.map(({ decision }) => decision)

function assertError(answer: Answered, http: number, says?: string | RegExp): void {
  assert.equal(answer.http, http, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  if (typeof says === 'string') assert.equal(answer.text, says)
  else if (says !== undefined) assert.match(answer.text, says)
  assert.equal(answer.headers.has('www-authenticate'), http === 401)
}

const alice = { type: 'user', id: 'alice@example.com' }
const document = (id: string) => ({ type: 'document', id, properties: { organizationId } })
const view = { name: 'view' }
const edit = { name: 'edit' }
const request = { subject: alice, action: view, resource: document('boxcarring.md') }

/** Alice can edit the first and view the last, and has no access to the second. */
beforeAll(async () => {
  key = await server.newKey()
  const ids = ['boxcarring.md', 'subject-search.md', 'resource-search.md']
  await key.call(addDocuments, {
    organizationId,
    createOrganization: true,
    documents: ids.map((documentId) => ({ documentId, accessType: 'restricted' as const })),
  })
  await key.call(addPermissions, {
    user: { userId: alice.id },
    permissions: {
      resources: [
        { type: 'document', id: 'boxcarring.md', organizationId, accessRole: 'editor' },
        { type: 'document', id: 'resource-search.md', organizationId, accessRole: 'viewer' },
        { type: 'organization', id: organizationId, accessRole: 'viewer' },
      ],
    },
  })
})

describe('POST /access/v1/evaluation', () => {
  it('permits and denies, with the reason', async () => {
    assert.deepEqual(await evaluate(request), {
      decision: true,
      context: {
        allowed: true,
        accessRole: 'editor',
        accessType: 'restricted',
        reason: 'grant',
        via: { type: 'document', id: 'boxcarring.md', inherited: false },
      },
    })
    const { decision, context } = await evaluate({ ...request, resource: document('subject-search.md') })
    assert.deepEqual([decision, context.allowed, context.reason], [false, false, 'no_grant'])
  })

  it('distinguishes viewing from editing', async () => {
    const viewed = { ...request, resource: document('resource-search.md') }
    assert.equal((await evaluate(viewed)).decision, true)
    assert.equal((await evaluate({ ...viewed, action: edit })).decision, false)
    assert.equal((await evaluate({ ...request, action: edit })).decision, true)
  })

  it('accepts an organization with or without its own id in properties', async () => {
    for (const properties of [undefined, {}, { organizationId }])
      assert.equal(
        (await evaluate({ ...request, resource: { type: 'organization', id: organizationId, properties } })).decision,
        true,
      )
  })

  it('denies what does not exist', async () => {
    const { decision, context } = await evaluate({ ...request, resource: document('unknown') })
    assert.deepEqual([decision, context.reason], [false, 'does_not_exist'])
  })

  it('says in the context that a resource is public (by default, by a folder or by itself), whatever decided', async () => {
    const open = await server.newKey()
    await open.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'plain' }] })
    const decided = async (client: Client, id: string) => {
      const body = { subject: alice, action: view, resource: document(id) }
      return JSON.parse((await post('/access/v1/evaluation', body, {}, client)).text)
    }
    const [plain, restricted] = [await decided(open, 'plain'), await decided(key, 'subject-search.md')]
    assert.equal(
      plain.context.reason_admin.en,
      'Public by default of the API key: every user of the API key has access as editor, also without a grant.',
    )
    assert.equal('reason_admin' in restricted.context, false)
    const resources = [{ type: 'document' as const, id: 'plain', organizationId, accessRole: 'editor' as const }]
    await open.call(addPermissions, { user: { userId: alice.id }, permissions: { resources } })
    assert.match((await decided(open, 'plain')).context.reason_admin.en, /^Public/)
  })

  it('accepts and ignores context, properties and unknown fields', async () => {
    const more = {
      subject: { ...alice, properties: { department: 'Sales', ip_address: '172.217.22.14' }, x: 1 },
      action: { ...view, properties: { method: 'GET' } },
      resource: { ...request.resource, properties: { organizationId, library_record: { title: 'AuthZEN' } } },
      context: { time: '1985-10-26T01:22-07:00', nul: '\0' },
      futureField: { nested: true },
    }
    assert.deepEqual(await evaluate(more), await evaluate(request))
  })

  it('decides as permissions.check does', async () => {
    const resources = ['boxcarring.md', 'subject-search.md', 'resource-search.md', 'unknown']
    for (const id of resources)
      for (const atLeast of [undefined, 'editor'] as const) {
        const resource = { type: 'document' as const, id, organizationId }
        const { checks } = await key.call(checkPermissions, { checks: [{ userId: alice.id, resource, atLeast }] })
        const { decision, context } = await evaluate({
          subject: alice,
          action: atLeast === 'editor' ? edit : view,
          resource: document(id),
        })
        assert.deepEqual(context, checks[0])
        assert.equal(decision, checks[0]?.allowed)
      }
  })

  it('returns the documented result for its example', async () => {
    assert.equal((await evaluate(EVALUATION_EXAMPLE)).decision, false)
  })

  describe('400', () => {
    const refused = async (body: unknown, says?: string | RegExp) =>
      assertError(await post('/access/v1/evaluation', body), 400, says)

    it('names missing fields', async () => {
      const { subject, action, resource } = request
      await refused({ action, resource }, 'subject is required')
      await refused({ subject, resource }, 'action is required')
      await refused({ subject, action }, 'resource is required')
      await refused({ ...request, subject: { id: 'alice' } }, 'subject.type is required')
      await refused({ ...request, subject: { type: 'user' } }, 'subject.id is required')
      await refused({ ...request, action: {} }, 'action.name is required')
      await refused({ ...request, resource: { id: '1' } }, 'resource.type is required')
      await refused({ ...request, resource: { type: 'document' } }, 'resource.id is required')
      await refused(
        { ...request, resource: { type: 'document', id: '1' } },
        'resource.properties.organizationId is required when type is "document"',
      )
    })

    it('names fields of a wrong type, and unknown types', async () => {
      await refused({ ...request, subject: 'alice' }, 'subject must be an object')
      await refused({ ...request, action: { name: 123 } }, /^action\.name must be one of "view", "edit"/)
      await refused({ ...request, action: { name: 'can_read' } }, 'action.name must be one of "view", "edit"')
      await refused({ ...request, subject: { type: 'robot', id: 'r2' } }, 'subject.type must be one of "user"')
      await refused({ ...request, resource: { type: 'book', id: '123' } }, /^resource\.type must be one of/)
      await refused({ ...request, context: 'now' }, 'context must be an object')
      await refused({ ...request, subject: { type: 'user', id: 'a\0' } }, /^subject\.id must not/)
      await refused(
        { ...request, resource: { type: 'organization', id: 'a', properties: { organizationId: 'b' } } },
        'resource.properties.organizationId must be equal to id when type is "organization"',
      )
      await refused(
        { ...request, resource: { ...document('root'), type: 'folder' } },
        /^resource\.id must not be "root"/,
      )
    })

    it('reports a body that is not a JSON object, and another content type', async () => {
      for (const body of ['[]', 'null', '7', '"text"']) await refused(body, 'The body must be a JSON object.')
      await refused('{"subject":', /^The body is not valid JSON/)
      await refused('', 'The body is empty; it must be a JSON object.')
      assertError(await post('/access/v1/evaluation', request, { 'content-type': 'text/plain' }), 400)
      await refused(`{"x":"${'x'.repeat(LIMITS.bodyBytesMax)}"}`, /^The body must not have more than/)
    })
  })
})

for (const path of ['/access/v1/evaluation', '/access/v1/evaluations'])
  describe(`credentials of ${path}`, () => {
    const as = (headers: Record<string, string>) => post(path, request, headers, server.client)

    it('are 401 when they are missing or wrong, before the body is checked', async () => {
      const { 'x-service-api-key': id = '', 'x-service-auth-token': token = '' } = key.headers
      const other = await server.newKey()
      assertError(await as({}), 401, 'The header x-service-api-key is required.')
      assertError(await as({ 'x-service-api-key': id }), 401, 'The header x-service-auth-token is required.')
      for (const wrong of ['nonsense', other.headers['x-service-auth-token'] ?? ''])
        assertError(
          await as({ 'x-service-api-key': id, 'x-service-auth-token': wrong }),
          401,
          'The credentials are not valid.',
        )
      assertError(await as({ authorization: `Bearer ${token}` }), 401)
      assertError(await post(path, '{"subject":', {}, server.client), 401)
    })

    it('are 403 when the key is disabled or the scope read is missing', async () => {
      const { workspace, apiKey } = await newCallers(server.url)
      const ids = { apiKey: apiKeyOf(apiKey) }
      const { authToken } = await workspace.call(createAuthToken, { ...ids, name: 'writes', scopes: ['write'] })
      const writing = { 'x-service-api-key': ids.apiKey, 'x-service-auth-token': authToken.token }
      assertError(await as(writing), 403, 'The auth token does not have the scope "read".')
      await workspace.call(disableApiKey, ids)
      assertError(await as(apiKey.headers), 403, 'The API key is disabled.')
    })

    it('have access only to their own data set', async () => {
      const other = await server.newKey()
      const { text } = await post(path, request, {}, other)
      assert.deepEqual(JSON.parse(text), { decision: false, context: { allowed: false, reason: 'does_not_exist' } })
    })

    it('count towards the rate limit of the key', async () => {
      const { url, client } = await startServer({ RATE_LIMIT_PER_KEY: '2' })
      const limited = await client.newKey()
      const ask = () =>
        send(url, path, {
          headers: { 'content-type': 'application/json', ...limited.headers },
          body: JSON.stringify(request),
        })
      const answers = await Promise.all(Array.from({ length: 6 }, ask))
      const last = answers.find(({ http }) => http === 429)
      assert.ok(last)
      assertError(last, 429, /^Too many requests/)
      assert.ok(last.headers.get('retry-after'))
    })
  })

describe('POST /access/v1/evaluations', () => {
  const resources = ['boxcarring.md', 'subject-search.md', 'resource-search.md'].map((id) => ({
    resource: document(id),
  }))

  it('returns the decisions of complete evaluations in order', async () => {
    const evaluations = resources.map((one) => ({ subject: alice, action: view, ...one, context: { time: 'now' } }))
    const answer = await evaluateMany({ evaluations })
    assert.deepEqual(Object.keys(answer), ['evaluations'])
    assert.deepEqual(decisionsOf(answer), [true, false, true])
  })

  it('takes missing parts from the defaults beside the list, each part as a whole', async () => {
    const [one, two, three] = resources
    assert.deepEqual(decisionsOf(await evaluateMany({ subject: alice, action: view, evaluations: resources })), [
      true,
      false,
      true,
    ])
    const overridden = { subject: alice, action: view, evaluations: [one, two, { action: edit, ...three }] }
    assert.deepEqual(decisionsOf(await evaluateMany(overridden)), [true, false, false])
    const subjects = {
      action: view,
      ...one,
      evaluations: [{ subject: alice }, { subject: { type: 'user', id: 'bob' } }],
    }
    assert.deepEqual(decisionsOf(await evaluateMany(subjects)), [true, false])
    const { evaluations } = await evaluateMany({
      ...request,
      evaluations: [{ resource: { type: 'document', id: 'boxcarring.md' } }, {}],
    })
    assert.equal(
      evaluations[0].context.error.message,
      'resource.properties.organizationId is required when type is "document"',
    )
    assert.equal(evaluations[1].decision, true)
  })

  it('decides nothing about a default if the evaluation may misspell the part that it omits', async () => {
    const other = document('subject-search.md')
    const { evaluations } = await evaluateMany({
      ...request,
      evaluations: [
        { ressource: other },
        { Resource: other },
        { Action: edit },
        { subjects: alice },
        { sujbect: alice },
        { future: other },
      ],
    })
    assert.deepEqual(decisionsOf({ evaluations }), [false, false, false, false, false, true])
    assert.equal(evaluations[0].context.error.message, 'ressource is not a known field; did you mean "resource"?')
    const complete = { resource: other, ressource: document('boxcarring.md') }
    assert.deepEqual(decisionsOf(await evaluateMany({ ...request, evaluations: [complete] })), [false])
  })

  it('denies an invalid evaluation with its error, and decides the others', async () => {
    const { evaluations } = await evaluateMany({
      subject: alice,
      action: view,
      evaluations: [resources[0], {}, 7, null, { ...resources[0], action: { name: 'own' } }, resources[2]],
    })
    const error = (message: string) => ({ decision: false, context: { error: { status: 400, message } } })
    assert.deepEqual(evaluations.slice(1, 5), [
      error('resource is required'),
      error('An evaluation must be a JSON object.'),
      error('An evaluation must be a JSON object.'),
      error('action.name must be one of "view", "edit"'),
    ])
    assert.deepEqual([evaluations[0].decision, evaluations[5].decision], [true, true])
    assert.deepEqual(decisionsOf(await evaluateMany({ evaluations: [{}] })), [false])
  })

  describe('semantics', () => {
    const run = async (evaluations_semantic: string | undefined, order: number[]) =>
      decisionsOf(
        await evaluateMany({
          subject: alice,
          action: view,
          options: { evaluations_semantic, another_option: 'value' },
          evaluations: order.map((index) => resources[index] ?? {}),
        }),
      )

    it('execute_all, the default, decides every one', async () => {
      for (const semantic of [undefined, 'execute_all'])
        assert.deepEqual(await run(semantic, [0, 1, 2]), [true, false, true])
    })

    it('deny_on_first_deny decides up to the first denial; an error is a denial', async () => {
      assert.deepEqual(await run('deny_on_first_deny', [0, 1, 2]), [true, false])
      assert.deepEqual(await run('deny_on_first_deny', [0, 9, 2]), [true, false])
      assert.deepEqual(await run('deny_on_first_deny', [0, 2, 0]), [true, true, true])
    })

    it('permit_on_first_permit decides up to the first permit', async () => {
      assert.deepEqual(await run('permit_on_first_permit', [0, 1, 2]), [true])
      assert.deepEqual(await run('permit_on_first_permit', [1, 9, 2, 0]), [false, false, true])
      assert.deepEqual(await run('permit_on_first_permit', [1, 1]), [false, false])
    })
  })

  it('is one evaluation without a list, or with an empty one', async () => {
    const single = await evaluate(request)
    for (const more of [{}, { evaluations: [] }, { options: { evaluations_semantic: 'deny_on_first_deny' } }])
      assert.deepEqual(await evaluateMany({ ...request, ...more }), single)
    assertError(await post('/access/v1/evaluations', {}), 400, 'subject is required')
  })

  it(`accepts at most ${LIMITS.itemsPerCallMax} evaluations, and refuses a list or options of another type`, async () => {
    const many = (count: number) => ({ ...request, evaluations: Array.from({ length: count }, () => ({})) })
    const { evaluations } = await evaluateMany(many(LIMITS.itemsPerCallMax))
    assert.equal(evaluations.length, LIMITS.itemsPerCallMax)
    for (const [body, says] of [
      [many(LIMITS.itemsPerCallMax + 1), 'evaluations must not have more than 1000 items'],
      [{ ...request, evaluations: {} }, 'evaluations must be a list'],
      [{ ...request, options: [] }, 'options must be an object'],
      [
        { ...request, evaluations: [{}], options: { evaluations_semantic: 'any' } },
        'options.evaluations_semantic must be one of "execute_all", "deny_on_first_deny", "permit_on_first_permit"',
      ],
    ] as const)
      assertError(await post('/access/v1/evaluations', body), 400, says)
  })

  it('returns the documented result for its example', async () => {
    assert.deepEqual(decisionsOf(await evaluateMany(EVALUATIONS_EXAMPLE)), [false, false])
  })
})

describe('X-Request-ID', () => {
  it('is returned, also in refusals, and created by the server if there is none', async () => {
    const id = 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716'
    const headers = { 'x-request-id': id }
    for (const answer of [
      await post('/access/v1/evaluation', request, headers),
      await post('/access/v1/evaluations', '{', headers),
      await post('/access/v1/evaluation', request, headers, server.client),
    ])
      assert.equal(answer.headers.get('x-request-id'), id)
    assert.ok((await post('/access/v1/evaluation', request)).headers.get('x-request-id'))
  })
})

describe('GET /.well-known/authzen-configuration', () => {
  const configurationOf = async (url: string) => {
    const response = await fetch(`${url}/.well-known/authzen-configuration`)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(response.headers.get('cache-control') ?? '', /max-age=\d+/)
    return response.json()
  }
  const under = (base: string) => ({
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
  })

  it('returns URLs under PUBLIC_URL, whatever host the caller names', async () => {
    const { url } = await startServer({ PUBLIC_URL: 'https://api.example.com' })
    assert.deepEqual(await configurationOf(url), under('https://api.example.com'))
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
    const [response] = await once(get(`${url}/.well-known/authzen-configuration`, { headers }), 'response')
    assert.deepEqual(await json(response), under('https://api.example.com'))
  })

  it('returns the URL that the server listens on if PUBLIC_URL is not set', async () => {
    assert.deepEqual(await configurationOf(server.url), under(server.url))
  })
})
