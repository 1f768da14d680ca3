/** Events of sharing name the user who shared, and an erasure of that user finds all of them (rules/resources.md#erasure). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import { listEvents } from '#contract/events/events.ts'
import { getUserData } from '#contract/users/user-data.ts'
import type { Client } from '#testing/client.ts'
import { completeErasure } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { newSharingKey, organizationId, ROADMAP } from '#testing/sharing.ts'
import { asUser } from '#testing/threads.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'

const server = await sharedServer()

const erase = (key: Client, userIds: string[], organizationIds?: string[]) =>
  completeErasure(key, { userIds, ...(organizationIds && { organizationIds }) })

/** Returns who shared with whom, the latest first. */
const shared = async (key: Client) =>
  (await key.call(listEvents, { types: ['permission.*'] })).events.flatMap(({ actor, userId, type }) =>
    actor.userId === undefined ? [] : [{ by: actor.userId, userId, type }],
  )

/** Lets `ada` share with others until nothing else in `acme` names her: she leaves at the end. */
async function shareAndLeave(key: Client): Promise<void> {
  const ada = await asUser(key, 'ada')
  await ada.call(updateSharing, { ...ROADMAP, grants: [{ userId: 'bob', accessRole: 'viewer' }] })
  await ada.call(updateSharing, {
    ...ROADMAP,
    removals: [{ userId: 'bob' }, { userId: 'ada' }],
    allowLosingOwnAccess: true,
  })
}

it('an erasure replaces the user who shared by the same pseudonym as in events about that user', async () => {
  const key = await newSharingKey(server)
  await shareAndLeave(key)
  assert.deepEqual(await shared(key), [
    { by: 'ada', userId: 'ada', type: 'permission.removed' },
    { by: 'ada', userId: 'bob', type: 'permission.removed' },
    { by: 'ada', userId: 'bob', type: 'permission.added' },
  ])
  const { events } = await key.call(getUserData, { userId: 'ada', organizationId })
  assert.deepEqual(
    events.map(({ type, isShared = false }) => [type, isShared]),
    [
      ['permission.added', false],
      ['permission.added', false],
      ['permission.added', true],
      ['permission.removed', true],
      ['permission.removed', false],
    ],
  )
  await erase(key, ['ada'])
  const [own, other, first] = await shared(key)
  assert.match(own?.by ?? '', /^erased:[0-9a-f]{32}$/)
  assert.deepEqual([own?.userId, other?.by, first?.by], [own?.by, own?.by, own?.by])
  assert.deepEqual([other?.userId, first?.userId], ['bob', 'bob'])
  const { rows } = await server.db.query('select 1 from events where api_key_id = $1 and events::text ~ $2', [
    apiKeyOf(key),
    '\\mada\\M',
  ])
  assert.equal(rows.length, 0)
  assert.deepEqual((await key.call(getUserData, { userId: 'ada', organizationId })).events, [])
})

it('finds an organization in which the user has done nothing but share, and more events than fit in one step', async () => {
  const key = await newSharingKey(server)
  await shareAndLeave(key)
  // Only `userId` of actors names her, thousands of times.
  await server.db.query(
    `with given as (select * from events where api_key_id = $1 and actor ->> 'userId' = 'ada' and user_id = 'bob' limit 1),
          gone as (delete from grants g using organizations o
                    where o.api_key_id = $1 and g.organization_key = o.organization_key and g.principal = 'ada'),
          about as (update events set user_id = 'x' where api_key_id = $1 and user_id = 'ada')
     insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id, resource_kind, resource_id, user_id, actor, before, after)
     select stream, 1000000 + n, tick, type, workspace_id, api_key_id, organization_id, resource_kind, resource_id, 'eve', actor, before, after
       from given, generate_series(1, 2500) n`,
    [apiKeyOf(key)],
  )
  await erase(key, ['ada'], [organizationId])
  const { rows } = await server.db.query(
    `select count(*)::int as left from events where api_key_id = $1 and actor ->> 'userId' = 'ada'`,
    [apiKeyOf(key)],
  )
  assert.deepEqual(rows, [{ left: 0 }])
})

it('events that are stored during the erasure have the pseudonym of the user who shared from the start', async () => {
  const key = await newSharingKey(server)
  const apiKey = apiKeyOf(key)
  await server.db.query(
    `insert into user_data_deletions (api_key_id, job_id, user_ids, actor, tasks_count, salt, due_at)
     values ($1, gen_random_uuid(), '{ada}', '{}', 1, gen_random_uuid(), clock_timestamp() + interval '1 hour')`,
    [apiKey],
  )
  await key.call(updateSharing, { ...ROADMAP, userId: 'ada', grants: [{ userId: 'bob', accessRole: 'viewer' }] })
  const [event] = await shared(key)
  assert.match(event?.by ?? '', /^erased:/)
  assert.equal(event?.userId, 'bob')
  await server.db.query('delete from user_data_deletions where api_key_id = $1', [apiKey])
})
