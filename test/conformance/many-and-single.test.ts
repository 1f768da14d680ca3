/**
 * A call with many items equals as many calls with one: the same results under the same ids, the same state afterwards,
 * the same events.
 */

import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import type { Operation } from '#contract/core/operation.ts'
import { getDomains } from '#contract/keys/domains.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { countDocuments, getDocuments } from '#contract/resources/documents.ts'
import { getFolders } from '#contract/resources/folders.ts'
import { listMigrations } from '#contract/resources/migrations.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { listDisabledUsers } from '#contract/users/disabled-users.ts'
import { listProfiles } from '#contract/users/profiles.ts'
import { getUserGroups } from '#contract/users/user-groups.ts'
import { getUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, callersFrom } from './support/callers.ts'
import { eventsOf } from './support/events.ts'
import { STEPS } from './support/example-world.ts'
import { exampleWith, type Place, placesOf, type Schema, written } from './support/schema-walk.ts'

const server = await sharedServer()

/** Operations whose list is not a list of independent items. */
const ONE_THING: Record<string, string> = {
  'user-data.delete': 'a call is one job for all its users',
  'sharing.update': 'its answer compares the access before and after the whole call',
  'user-access.revoke': 'a call is one job for all its users',
  'threads.add': 'a thread has its comments, and an id that exists makes the call an error',
  'comments.add': 'a call adds all of its comments or none',
  'comments.update': 'comments are named by numbers, which have no suffix',
  'comments.delete': 'the same',
  'comment-data.set': 'a result names the place of a record in the call',
  'user-tokens.generate': 'a call signs one token',
  'permission-signatures.generate': 'a call signs its whole list',
  'notifications.add': 'a call adds one notification',
  'permissions.simulate': 'the changes of a call are simulated together',
  'webhook-endpoints.create': 'a call creates one endpoint',
  'sso-config.update': 'the rules of a call are tried in their order',
  'events.list': 'the types of a call are one filter',
  'account-events.list': 'the types of a call are one filter',
  'account-usage.list': 'it is called with a workspace, and unknown keys are left out',
}

/** Operations with one event for the whole call: it changes the settings of the API key. */
const ONE_EVENT = new Set(['domains.add', 'domains.delete'])

/** Other fields of a call that keep an unknown item from failing it. */
const ALSO: Record<string, object> = { 'permissions.get': { skipResourceExistenceValidation: true } }

/** Shorter lists are lists of values, such as the scopes of one token. */
const ITEMS_MIN = 100

const at = (value: unknown, path: Place['path']): unknown =>
  path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value)

const listsOf = (operation: Operation): Place[] =>
  placesOf(operation).filter(
    ({ path, schema }) => (schema.maxItems ?? 0) >= ITEMS_MIN && Array.isArray(at(operation.example, path)),
  )

interface Asked {
  resource: { id: string }
}

/** Returns the first item of the example with another id, or about a resource with another id. */
function item(operation: Operation, { path, schema }: Place, suffix: string): unknown {
  const [first] = at(operation.example, path) as unknown[]
  if (typeof first === 'string') return first + suffix
  const { required = [] } = schema.items as Schema
  if (required.includes('resource'))
    return {
      ...(first as Asked),
      resource: { ...(first as Asked).resource, id: (first as Asked).resource.id + suffix },
    }
  const names = [...required, ...Object.keys(first as object)]
  const id = names.find((name) => /^id$|Id$/.test(name)) ?? assert.fail(`no id in an item of ${operation.name}`)
  return { ...(first as object), [id]: (first as Record<string, string>)[id] + suffix }
}

const HERE = ''
const ALSO_HERE = '-b'
const UNKNOWN = '-unknown'

const withItems = (operation: Operation, place: Place, suffixes: readonly string[]): object => ({
  ...(exampleWith(
    operation,
    place.path,
    suffixes.map((suffix) => item(operation, place, suffix)),
  ) as object),
  ...ALSO[operation.name],
})

/** Creates everything that the examples name twice; what `target` itself adds exists once. */
async function newWorld(target: Operation): Promise<Client> {
  const { apiKey } = await callersFrom(server.client)
  const last = STEPS.indexOf(target)
  for (const step of STEPS.slice(0, last === -1 ? STEPS.length : last + 1)) {
    const [list] = listsOf(step)
    if (list === undefined) {
      await apiKey.call(step, step.example)
      continue
    }
    await apiKey.call(step, withItems(step, list, step === target ? [HERE] : [HERE, ALSO_HERE]))
  }
  return apiKey
}

const organizationId = 'acme'
const LOOKS: [Operation, object][] = [
  [getOrganizations, {}],
  [getFolders, { organizationId }],
  [getDocuments, { organizationId }],
  [countDocuments, { organizationId }],
  [getUsers, { organizationId }],
  [getUserGroups, { organizationId }],
  [listGrants, { organizationId }],
  [listProfiles, {}],
  [listDisabledUsers, {}],
  [listMigrations, { organizationId }],
  [getDomains, {}],
  [
    getPermissions,
    {
      ...{ organizationId, userIds: ['ada', 'ada-b'], folderIds: ['plans'], skipResourceExistenceValidation: true },
      documentIds: ['roadmap', 'roadmap-b', 'roadmap-unknown'],
    },
  ],
]

/** Merges the results of several calls into one: objects by name, lists concatenated. */
function merged(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return other
  const all: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) all[name] = name in all ? merged(all[name], value) : value
  return all
}

/** Replaces assigned ids and times, which differ between API keys. */
const comparable = (value: unknown, key: Client): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(apiKeyOf(key), 'the key')
      .replace(/"id":"[0-9a-f]{32}"/g, '"id":"given"')
      .replace(/"requestId":"[^"]*"/g, '"requestId":""')
      .replace(/"(createdAt|lastUpdated|disabledAt)":\d+/g, '"$1":0'),
  )

async function outcomeOf(operation: Operation, place: Place, calls: readonly string[][]): Promise<unknown> {
  const key = await newWorld(operation)
  const before = await eventsOf(server.db, apiKeyOf(key))
  let results: unknown
  for (const suffixes of calls)
    results = merged(results, await key.call(operation, withItems(operation, place, suffixes)))
  const events = (await eventsOf(server.db, apiKeyOf(key))).slice(before.length).map((event) => JSON.stringify(event))
  const seen = await Promise.all(LOOKS.map(async ([{ path }, data]) => (await key.post(path, data)).body))
  return comparable({ results, events: ONE_EVENT.has(operation.name) ? [] : events.sort(), seen }, key)
}

for (const operation of OPERATIONS)
  for (const place of listsOf(operation)) {
    if (ONE_THING[operation.name] !== undefined) continue
    describe(`${operation.name} with many ${written(place.path)}`, () => {
      it('equals as many calls with one', async () => {
        const many = await outcomeOf(operation, place, [[HERE, UNKNOWN, ALSO_HERE]])
        const single = await outcomeOf(operation, place, [[HERE], [UNKNOWN], [ALSO_HERE]])
        assert.deepEqual(many, single)
      })
    })
  }

describe('operations whose list is one value', () => {
  it('are exactly those that have such a list', () => {
    const withLists = OPERATIONS.filter((operation) => listsOf(operation).length > 0).map(({ name }) => name)
    for (const name of Object.keys(ONE_THING)) assert.ok(withLists.includes(name), name)
  })
})
