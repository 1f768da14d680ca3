/** Requests to allow a domain: adding, reading, accepting and rejecting them (rules/keys.md#requested-domains). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { deleteApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addDomainRequest, getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, getDomains } from '#contract/keys/domains.ts'
import { addDocuments, updateDocuments } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const organizationId = 'acme'
let owner: Client
let key: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  key = callers.apiKey
})

const request = async (domain: string, more: Partial<DataOf<typeof addDomainRequest>> = {}) =>
  (await key.call(addDomainRequest, { domain, ...more })).domainRequestId
const requests = async () => (await key.call(getDomainRequests, {})).requestedDomains
const allowed = async () => (await key.call(getDomains, {})).allowedDomains
const respond = (id: string, action: 'accept' | 'reject', more: object = {}) =>
  key.post(respondToDomainRequest.path, { id, action, ...more })
const eventsWhile = async (work: () => Promise<unknown>) => {
  const events = await eventsDuring(server.db, apiKeyOf(key), work)
  return events.map(({ type, before, after }) => ({ type, before, after }))
}

describe('domain-requests.add', () => {
  it('stores a pending request for the normalized host, which allows nothing yet', async () => {
    const answer = await key.call(addDomainRequest, {
      ...{ domain: 'https://WWW.App.example.com:8443/plans', clientDocumentId: 'roadmap', organizationId },
    })
    const { domainRequestId: id } = answer
    assert.deepEqual(answer, {
      ...{ domainRequestId: id, domain: 'app.example.com', clientDocumentId: 'roadmap', status: 'pending' },
    })
    const { [id]: stored } = await requests()
    assert.deepEqual(stored, {
      ...{ id, domain: 'app.example.com', clientDocumentId: 'roadmap', documentName: '', status: 'pending' },
      ...{ organizationId, requestedAt: stored?.requestedAt },
    })
    assert.deepEqual(await allowed(), [])
  })

  it('accepts only a domain, and refuses anything that is not a host', async () => {
    const id = await request('app.example.com')
    assert.equal((await requests())[id]?.clientDocumentId, '')
    refusedField(await key.post(addDomainRequest.path, { domain: '*' }), 'domain', /must be a host/)
    refusedField(await key.post(addDomainRequest.path, {}), 'domain')
  })

  it('returns the pending request for the same host, and stores no other', async () => {
    const id = await request('app.example.com', { clientDocumentId: 'roadmap' })
    const again = () => key.call(addDomainRequest, { domain: 'http://app.example.com', clientDocumentId: 'other' })
    assert.deepEqual(await eventsWhile(again), [])
    assert.deepEqual(
      { ...(await again()) },
      { ...{ domainRequestId: id, domain: 'app.example.com', clientDocumentId: 'roadmap', status: 'pending' } },
    )
    assert.deepEqual(Object.keys(await requests()), [id])
  })

  it('stores one request for a host that many calls request concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => request('app.example.com')))
    assert.equal(new Set(ids).size, 1)
  })

  it('stores another request once the last one was answered', async () => {
    const id = await request('app.example.com')
    await respond(id, 'reject')
    assert.notEqual(await request('app.example.com'), id)
    assert.equal(Object.keys(await requests()).length, 2)
  })

  it('replaces the request that was answered first when there is no room, and never a pending one', async () => {
    const first = await request('first.example.com')
    await respond(first, 'reject')
    await server.db.query(
      `insert into domain_requests (api_key_id, domain, requested_at)
       select $1, 'host-' || n || '.example.com', '2020-01-01' from generate_series(3, ${LIMITS.domainRequestsMax}) n`,
      [apiKeyOf(key)],
    )
    const second = await request('second.example.com')
    assert.equal(Object.keys(await requests()).length, LIMITS.domainRequestsMax)
    assert.ok(first in (await requests()))
    await request('third.example.com')
    const kept = await requests()
    assert.equal(Object.keys(kept).length, LIMITS.domainRequestsMax)
    assert.deepEqual([first in kept, second in kept], [false, true])
    const answer = await key.post(addDomainRequest.path, { domain: 'fourth.example.com' })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_domain_requests')
    assert.equal(await request('third.example.com'), (await requests())[await request('third.example.com')]?.id)
  })
})

describe('domain-requests.get', () => {
  it('returns pending and answered requests, with the name that the document has now', async () => {
    const document = { documentId: 'roadmap', documentName: 'Roadmap' }
    await key.call(addDocuments, { organizationId, createOrganization: true, documents: [document] })
    const id = await request('a.example.com', { clientDocumentId: 'roadmap', organizationId })
    const unknown = await request('b.example.com', { clientDocumentId: 'unknown', organizationId: 'unknown' })
    await respond(unknown, 'reject')
    const names = async () => Object.values(await requests()).map(({ documentName, status }) => [documentName, status])
    assert.deepEqual(await names(), [
      ['', 'rejected'],
      ['Roadmap', 'pending'],
    ])
    await key.call(updateDocuments, { organizationId, documents: [{ documentId: 'roadmap', documentName: 'Plans' }] })
    assert.equal((await requests())[id]?.documentName, 'Plans')
  })

  it('needs the scope read, requesting write, and answering admin', async () => {
    const token = async (...scopes: ('read' | 'write' | 'admin')[]) => {
      const { authToken } = await owner.call(createAuthToken, { apiKey: apiKeyOf(key), name: scopes.join(), scopes })
      return server.client.with({ 'x-service-api-key': apiKeyOf(key), 'x-service-auth-token': authToken.token })
    }
    const [reader, writer] = [await token('read'), await token('read', 'write')]
    const id = (await writer.call(addDomainRequest, { domain: 'a.example.com' })).domainRequestId
    assert.ok(id in (await reader.call(getDomainRequests, {})).requestedDomains)
    const asking = await reader.post(addDomainRequest.path, { domain: 'b.example.com' })
    assert.equal(refused(asking, 'PERMISSION_DENIED').reason, 'scope_missing')
    const answering = await writer.post(respondToDomainRequest.path, { id, action: 'accept' })
    assert.equal(refused(answering, 'PERMISSION_DENIED').reason, 'scope_missing')
  })

  it('forgets the requests of a key that is deleted', async () => {
    await request('a.example.com')
    const apiKey = apiKeyOf(key)
    const count = async () => {
      const { rows } = await server.db.query('select from domain_requests where api_key_id = $1', [apiKey])
      return rows.length
    }
    assert.equal(await count(), 1)
    const { apiKeyList } = (await owner.post('/v2/workspace/get', {})).body.result.data
    await owner.call(deleteApiKey, { apiKey, apiKeyName: apiKeyList[apiKey].apiKeyName })
    assert.equal(await count(), 0)
  })
})

describe('domain-requests.respond', () => {
  it('allows the host of an accepted request, in one change that events record', async () => {
    await key.call(addDomains, { domains: ['a.example.com'] })
    const id = await request('b.example.com', { clientDocumentId: 'roadmap', organizationId })
    const events = await eventsWhile(async () => {
      const { requestedDomain } = (await respond(id, 'accept', { clientDocId: 'roadmap' })).body.result.data
      assert.equal(requestedDomain.status, 'accepted')
      assert.ok(requestedDomain.respondedAt >= requestedDomain.requestedAt)
    })
    const named = { id, domain: 'b.example.com', organizationId, documentId: 'roadmap' }
    assert.deepEqual(events, [
      {
        type: 'api_key.updated',
        before: { allowedDomains: ['a.example.com'] },
        after: { allowedDomains: ['a.example.com', 'b.example.com'] },
      },
      { type: 'domain_request.accepted', before: null, after: named },
    ])
    assert.deepEqual(await allowed(), ['a.example.com', 'b.example.com'])
  })

  it('does not change the domains when it rejects a request', async () => {
    const id = await request('b.example.com')
    const events = await eventsWhile(() => respond(id, 'reject'))
    assert.deepEqual(events, [
      { type: 'domain_request.rejected', before: null, after: { id, domain: 'b.example.com' } },
    ])
    assert.deepEqual(await allowed(), [])
  })

  it('accepts a host that was allowed meanwhile', async () => {
    const id = await request('b.example.com')
    await key.call(addDomains, { domains: ['b.example.com'] })
    assert.equal((await respond(id, 'accept')).http, 200)
    assert.deepEqual(await allowed(), ['b.example.com'])
  })

  it('succeeds again with the same answer, changes nothing, and refuses the opposite one', async () => {
    for (const [action, opposite] of [
      ['accept', 'reject'],
      ['reject', 'accept'],
    ] as const) {
      const id = await request(`${action}.example.com`)
      await respond(id, action)
      const before = await allowed()
      assert.deepEqual(await eventsWhile(async () => assert.equal((await respond(id, action)).http, 200)), [])
      const answer = await respond(id, opposite)
      assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'domain_request_answered')
      assert.deepEqual(await allowed(), before)
    }
  })

  it('gives one answer if it is accepted and rejected concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, index) => request(`race${index}.example.com`)))
    await Promise.all(
      ids.map(async (id) => {
        const answers = await Promise.all([respond(id, 'accept'), respond(id, 'reject')])
        assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 400])
      }),
    )
    const accepted = Object.values(await requests()).filter(({ status }) => status === 'accepted')
    assert.deepEqual((await allowed()).sort(), accepted.map(({ domain }) => domain).sort())
  })

  it('responds NOT_FOUND for an unknown request, and for a document other than that of the request', async () => {
    const id = await request('a.example.com', { clientDocumentId: 'roadmap' })
    const unknown = ['nonsense', id.toUpperCase(), id.replace(/.{4}$/, 'ffff')]
    for (const answer of [
      ...(await Promise.all(unknown.map((one) => respond(one, 'accept')))),
      await respond(id, 'accept', { clientDocId: 'other' }),
    ])
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'domain_request_does_not_exist')
    assert.equal((await requests())[id]?.status, 'pending')
  })
})
