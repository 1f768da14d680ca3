/** What a process remembers of where a key is decides nothing: a key that is elsewhere is UNAVAILABLE, never unknown (ADR 0066). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'
import { startWithBuckets } from './several.ts'

it('a key that is no longer where a process remembers it is looked for again, before its credentials are refused', async () => {
  const { home, buckets, newOwner, newKey } = await startWithBuckets(['one', 'two'])
  const key = await newKey(await newOwner(), 'one')
  assert.equal((await key.post(getOrganizations.path, {})).http, 200)
  const [one] = buckets
  await one?.db.query('delete from api_keys where api_key_id = $1', [apiKeyOf(key)])
  await home.query(`update key_places set bucket = 'two' where api_key_id = $1`, [apiKeyOf(key)])
  assert.equal(refused(await key.post(getOrganizations.path, {}), 'UNAVAILABLE').reason, 'api_key_moved')
  // It is not in the other one either, which is asked now.
  assert.equal(refused(await key.post(getOrganizations.path, {}), 'UNAUTHENTICATED').reason, 'credentials_invalid')
})
