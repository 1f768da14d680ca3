/** Allowed domains of an API key: adding, deleting and reading them (rules/keys.md#allowed-domains). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDomainRequest, getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let owner: Client
let key: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  key = callers.apiKey
})

const add = (...domains: string[]) => key.call(addDomains, { domains })
const remove = (...domains: string[]) => key.call(deleteDomains, { domains })
const allowed = async () => (await key.call(getDomains, {})).allowedDomains
const many = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}.example.com`)

describe('domains.add', () => {
  it('stores normalized hosts without duplicates, in the order of the call', async () => {
    const answer = await add('https://WWW.Example.com:8443/x', '*.example.org', 'example.com', 'http://localhost:3000')
    assert.deepEqual(answer, { domainsAdded: ['example.com', '*.example.org', 'localhost'], skippedDomains: [] })
    assert.deepEqual(await allowed(), ['example.com', '*.example.org', 'localhost'])
  })

  it('succeeds if some hosts exist already, and reports which', async () => {
    await add('a.com', 'b.com')
    assert.deepEqual(await add('c.com', 'https://B.com', 'a.com'), {
      domainsAdded: ['c.com'],
      skippedDomains: ['b.com', 'a.com'],
    })
    assert.deepEqual(await allowed(), ['a.com', 'b.com', 'c.com'])
  })

  it('adds to the domains that the key was created with', async () => {
    const { apiKey, authToken = '' } = await owner.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
      allowedDomains: ['first.com'],
    })
    key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    await add('second.com')
    assert.deepEqual(await allowed(), ['first.com', 'second.com'])
  })

  it('writes one event, and none if all exist', async () => {
    await add('a.com')
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => add('a.com', 'b.com'))
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'api_key.updated')
    assert.deepEqual(event?.before, { allowedDomains: ['a.com'] })
    assert.deepEqual(event?.after, { allowedDomains: ['a.com', 'b.com'] })
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => add('b.com')), [])
  })

  it('keeps the domains of all concurrent calls', async () => {
    const domains = many(8)
    await Promise.all(domains.map((domain) => add(domain)))
    assert.deepEqual((await allowed()).sort(), domains.sort())
  })

  it('adds none if the total would exceed the limit', async () => {
    await add(...many(LIMITS.domainsMax - 1))
    const answer = await key.post(addDomains.path, { domains: ['one.com', 'two.com'] })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_domains')
    assert.equal((await allowed()).length, LIMITS.domainsMax - 1)
    await add('one.com')
    assert.deepEqual((await add('one.com')).skippedDomains, ['one.com'])
  })

  it('adds none with an accepted request either, which stays pending', async () => {
    const { domainRequestId: id } = await key.call(addDomainRequest, { domain: 'requested.com' })
    await add(...many(LIMITS.domainsMax))
    const answer = await key.post(respondToDomainRequest.path, { id, action: 'accept' })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_domains')
    assert.equal((await key.call(getDomainRequests, {})).requestedDomains[id]?.status, 'pending')
  })

  it('reports items that are not hosts, and adds none', async () => {
    const answer = await key.post(addDomains.path, { domains: ['a.com', '*', 'b c'] })
    refusedField(answer, 'domains[1]', 'domains[1] must be a host such as example.com or *.example.com')
    refusedField(answer, 'domains[2]')
    assert.deepEqual(await allowed(), [])
  })
})

describe('domains.delete', () => {
  it('deletes existing domains, and succeeds if some do not exist', async () => {
    await add('a.com', 'b.com', '*.b.com')
    assert.deepEqual(await remove('https://www.B.com/x', 'x.b.com'), {
      domainsRemoved: ['b.com'],
      skippedDomains: ['x.b.com'],
    })
    assert.deepEqual(await allowed(), ['a.com', '*.b.com'])
  })

  it('writes one event, and none if none existed', async () => {
    await add('a.com', 'b.com')
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => remove('a.com', 'c.com'))
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.after], ['api_key.updated', { allowedDomains: ['b.com'] }])
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => remove('a.com')), [])
  })

  it('reports items that are not hosts', async () => {
    refusedField(await key.post(deleteDomains.path, { domains: ['*'] }), 'domains[0]', /must be a host/)
  })
})

describe('api-keys.create', () => {
  it('counts the local hosts towards the limit of domains', async () => {
    const create = (count: number) =>
      owner.post(createApiKey.path, {
        ownerEmail: 'ada@example.com',
        type: 'testing',
        allowedDomains: many(count),
        addLocalHostToAllowedDomains: true,
      })
    refusedField(await create(LIMITS.domainsMax - 1), 'allowedDomains', /more than 100 items/)
    assert.equal((await create(LIMITS.domainsMax - 2)).http, 200)
  })
})
