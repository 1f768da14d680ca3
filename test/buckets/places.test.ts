/** A remembered location of a key decides nothing: a key that is in another database is UNAVAILABLE, never unknown (ADR 0066). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createDatabase } from '#testing/server.ts'
import { openBucketDatabase } from '../../server/buckets/open.ts'
import { readConfig } from '../../server/config.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'
import { startWithBuckets } from './server-with-buckets.ts'

it('a key that has left its remembered location is looked up again before its credentials are refused', async () => {
  const { home, buckets, newOwner, newKey } = await startWithBuckets(['one', 'two'])
  const key = await newKey(await newOwner(), 'one')
  assert.equal((await key.post(getOrganizations.path, {})).http, 200)
  const [one] = buckets
  await one?.db.query('delete from api_keys where api_key_id = $1', [apiKeyOf(key)])
  await home.query(`update key_places set bucket = 'two' where api_key_id = $1`, [apiKeyOf(key)])
  assert.equal(refused(await key.post(getOrganizations.path, {}), 'UNAVAILABLE').reason, 'api_key_moved')
  // The other database, which is queried now, does not have the key either.
  assert.equal(refused(await key.post(getOrganizations.path, {}), 'UNAUTHENTICATED').reason, 'credentials_invalid')
})

it('a statement about tables that a move has renamed reports that the key has moved', async () => {
  const { url, remove } = await createDatabase()
  let noticed = 0
  const changes = { closed: () => noticed++, restarted: () => {} }
  const needs = { config: readConfig({ PORT: '0' }), log: createLog('silent') }
  const db = await openBucketDatabase({ name: 'one', url }, needs, changes)
  cleanUp(async () => {
    await db.close()
    await remove()
  })
  const named = [
    ['the table', 'select from gone'],
    ['the schema', 'create table gone.gone ()'],
    ['the type', 'select null::gone'],
    ['the function', 'select gone()'],
    ['the type, by a number that a plan had', `select array_in('{}', 4000000000, -1)`],
  ] as const
  for (const [what, text] of named) await assert.rejects(db.query(text), { reason: 'api_key_moved' }, what)
  assert.equal(noticed, named.length)
  await assert.rejects(db.query('select 1 / 0'), { code: '22012' })
})
