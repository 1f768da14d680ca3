/**
 * Tests the random worlds of comments: the comparison with the reference interpreter must catch each of these mutants of the
 * statements that decide who is notified, and accept the original. Each mutant changes one place of the SQL, like a
 * typical mistake.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeAll, describe, it } from 'vitest'
import { LIST_THREADS_OF_DOCUMENTS } from '#features/comments/threads/read-statements.ts'
import { isMember } from '#tenancy/grants.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { createMutating, type Mutant } from '../matrix/mutated.ts'
import { createBuilder } from './builder.ts'
import { compareRecipients, compareWorld } from './compare.ts'
import type { World } from './contents.ts'
import { READ_AT, world } from './worlds.ts'

/** Mutants of statements that write: worlds are built with them. */
const WRITING: Record<string, Mutant> = {
  'what can open the document is decided when the comment is written': {
    right: 'location_id, true, true,\n',
    wrong: 'location_id, true, false,\n',
  },
  'the notification of a comment names who has muted the thread': {
    right: "and u.subscription = 'subscribed' and u.user_id <> a.actor_id offset 0",
    wrong: 'and u.user_id <> a.actor_id offset 0',
  },
  'a mention follows the thread again that the user has muted': {
    right: 'set subscription = coalesce(k.subscription, excluded.subscription)',
    wrong: 'set subscription = coalesce(excluded.subscription, k.subscription)',
  },
  'authors have never seen their own comments': {
    right: 'seen_through = greatest(k.seen_through, excluded.seen_through)\n  ),\n  moved_on',
    wrong: 'seen_through = k.seen_through\n  ),\n  moved_on',
  },
  'authors have seen the comments before their own': {
    right: 'known.seen_through >= a.last_position',
    wrong: 'true',
  },
  'what was seen is seen no more after an earlier comment is read': {
    right: 'do update set seen_through = greatest(k.seen_through, excluded.seen_through),',
    wrong: 'do update set seen_through = excluded.seen_through,',
  },
  'the deletion of a thread is a notification to everybody': {
    right: 'deleted as (delete from threads t using thread n where t.ctid = n.row)',
    wrong: `orphaned as (
      update notifications f set target_annotation_id = null, target_comment_id = null from thread n
       where f.organization_key = n.organization_key and f.resource_key = n.resource_key and f.target_annotation_id = n.annotation_id
    ),
    deleted as (delete from threads t using thread n where t.ctid = n.row)`,
  },
}

/** The part of a list of threads that decides what its reader sees, whichever parameter the reader is. */
const [PUBLIC_TO_READER = ''] =
  /\(t\.visibility = 'public' or t\.author_id = \$\d+::text/.exec(LIST_THREADS_OF_DOCUMENTS.desc.text) ?? []

/** The condition that the reader of notifications is a member of an organization, without the one that the grant is live. */
const ofMember = (organizationKey: string): string =>
  isMember(organizationKey, '$9::text').split('g.standing_role is not null', 1).join()

/** Mutants of statements that read: all of them read the same worlds. */
const READING: Record<string, Mutant> = {
  'the author of the thread is left out, not the one who acts': {
    right: 'c.author_id <> $9::text and',
    wrong: 't.author_id <> $9::text and',
  },
  'whoever acts is notified': { right: 'c.author_id <> $9::text and', wrong: '' },
  'a muted thread notifies': { right: "u.subscription is distinct from 'unsubscribed'", wrong: 'true' },
  'NONE is ignored': {
    right: 'coalesce(r.is_named, false) else false end',
    wrong: 'coalesce(r.is_named, false) else true end',
  },
  'MINE is ignored': { right: "when 'MINE' then coalesce(r.is_named, false)", wrong: "when 'MINE' then true" },
  'MINE is NONE': { right: "when 'MINE' then coalesce(r.is_named, false)", wrong: "when 'MINE' then false" },
  'the level of the document is ignored': {
    right: 'p.resource_key = n.resource_key and p.user_id = $9::text',
    wrong: 'p.resource_key = n.organization_key and p.user_id = $9::text',
  },
  'the level of the organization is ignored': {
    right: 'p.resource_key = n.organization_key and p.user_id = $9::text',
    wrong: 'p.resource_key = n.resource_key and p.user_id = $9::text',
  },
  'what was seen is unread': {
    right: 'coalesce(u.seen_through >= c.position, false) as is_seen',
    wrong: 'false as is_seen',
  },
  'what was read is listed again': { right: 'not coalesce(r.is_hidden, false)', wrong: 'true' },
  'a private thread notifies everybody': {
    right: "(t.visibility = 'public' or t.author_id = $9::text",
    wrong: '(true or t.author_id = $9::text',
  },
  'a private thread is counted for everybody': {
    right: "(t.visibility = 'public' or t.author_id = $3::text",
    wrong: '(true or t.author_id = $3::text',
  },
  'a private thread is shown to everybody who can open the document': {
    right: PUBLIC_TO_READER,
    wrong: PUBLIC_TO_READER.replace("t.visibility = 'public'", 'true'),
  },
  'an access context is ignored': { right: "(t.access_context is null or t.access_context = '{}')", wrong: 'true' },
  'guests of another organization see what is private to its members': {
    right: ofMember('o.key'),
    wrong: ofMember('o.key').replace('g.resource_key = o.key and', '').replace("and g.kind = 'organization'", ''),
  },
  'members of the own organization see what is private to another': {
    right: 'unnest(t.visibility_organization_keys)',
    wrong: 'unnest(array[t.organization_key])',
  },
  'members whose grant has expired see what is private to members': {
    right: `${ofMember('o.key')}g.standing_role is not null`,
    wrong: `${ofMember('o.key')}true`,
  },
  'members whose grant has expired are notified': {
    right: `${ofMember('$1')}g.standing_role is not null`,
    wrong: `${ofMember('$1')}true`,
  },
  'only members are notified': {
    right: 'and (coalesce(r.is_named, false) or n.notifies_all and (select is_member from member))',
    wrong: 'and (select is_member from member)',
  },
  'only those whom a notification names are notified': {
    right: 'or n.notifies_all and (select is_member from member))) as matches',
    wrong: ')) as matches',
  },
  'a disabled user is notified': { right: "when target.is_user_disabled then 'user_disabled'\n", wrong: '\n' },
  'an expired grant opens the document': {
    right: 'expires_at > (select now from clock)',
    wrong: 'expires_at >= (select now from clock)',
  },
  'the grants of groups that the user has left count': {
    right: 'where m.organization_key = item.organization_key and m.user_id = item.user_id\n',
    wrong: 'where m.organization_key = item.organization_key\n',
  },
  "a group's grant counts after the user has left the organization": {
    right: 'case when held.member_until is not null\n',
    wrong: 'case when true\n',
  },
  'a disabled document notifies': {
    right: "o.disabled or (item.kind = 'document' and r.disabled) as is_disabled",
    wrong: 'o.disabled as is_disabled',
  },
  'what was seen is counted as unread': {
    right: 't.last_position <= u.seen_through',
    wrong: 't.last_position < 0',
  },
}

/** Mutants of the recipients of a channel, which also read these worlds. */
const SENDING: Record<string, Mutant> = {
  'the author of the thread is left out of a channel, not the one who acts': {
    right: "coalesce(item.actor_id, c.author_id, '')",
    wrong: "coalesce(item.actor_id, t.author_id, '')",
  },
  'a channel notifies whoever acts': {
    right: '(u.subscription is not null or u.user_id = t.assigned_to) and u.user_id <> t.acting_id',
    wrong: '(u.subscription is not null or u.user_id = t.assigned_to)',
  },
  'a channel forgets the assignee': { right: 'or u.user_id = t.assigned_to', wrong: '' },
  'a channel notifies those who follow the thread alone': {
    right: "p.channels ->> t.channel = 'ALL'",
    wrong: 'false',
  },
  'a channel notifies without access to the document': { right: "when not allowed then 'no_access'\n", wrong: '\n' },
  'a channel cannot say that a user is disabled': {
    right: "when decision = 'user_disabled' then 'disabled'\n",
    wrong: 'when false then null\n',
  },
  'a private thread is sent to everybody': { right: "when not is_visible then 'not_visible'\n", wrong: '\n' },
  'a muted thread is sent': { right: "when subscription = 'unsubscribed' then 'unsubscribed'\n", wrong: '\n' },
  'NONE is ignored by a channel': { right: "when level = 'NONE' or level <> 'ALL'", wrong: "when level <> 'ALL'" },
  'a channel follows the level of the organization before that of the document': {
    right: 'coalesce(of_document.channels ->> t.channel, of_organization.channels ->> t.channel, t.default_level)',
    wrong: 'coalesce(of_organization.channels ->> t.channel, of_document.channels ->> t.channel, t.default_level)',
  },
  'what was seen is sent': { right: "when is_seen then 'seen' end", wrong: 'end' },
  'who is mentioned in another comment counts as mentioned': {
    right: 'd.user_id = any(t.mentioned)',
    wrong:
      "d.user_id = any(coalesce((select m.mentioned_user_ids from threads m where (m.organization_key, m.resource_key, m.annotation_id) = (t.organization_key, t.resource_key, t.annotation_id)), '{}'))",
  },
}

/** The number of worlds that a usual run of worlds.test.ts compares. */
const WORLDS = 300
const SEED = 1
/** The number of worlds that are compared at the same time. */
const BATCH = 25

describe('the random worlds of comments catch a mutant', { skip: ENGINE === 'embedded' }, async () => {
  const mutating = createMutating()
  const server = await startServer({}, mutating.through)
  const build = createBuilder(() => server.newKey())
  const specs = fc.sample(world, { seed: SEED, numRuns: WORLDS })
  const worlds: World[] = []

  async function buildBatch(from: number): Promise<World[]> {
    server.clock.set(null)
    return build(specs.slice(from, from + BATCH))
  }

  beforeAll(async () => {
    for (let from = 0; from < WORLDS; from += BATCH) worlds.push(...(await buildBatch(from)))
  })

  /** Returns how many worlds had to be compared to see a difference from the interpreter, and the difference. */
  async function firstCatch(batchFrom: (from: number) => Promise<World[]> | World[]) {
    for (let from = 0; from < WORLDS; from += BATCH) {
      const batch = await batchFrom(from)
      server.clock.set(new Date(READ_AT * 1000))
      const compared = [compareRecipients(mutating.through(server.db), batch), ...batch.map(compareWorld)]
      for (const result of await Promise.allSettled<unknown>(compared)) {
        if (result.status === 'fulfilled') continue
        if (!(result.reason instanceof assert.AssertionError)) throw result.reason
        return { worlds: from + BATCH, error: result.reason }
      }
    }
    return undefined
  }

  const built = (from: number) => worlds.slice(from, from + BATCH)

  it('and accept the original', async () => {
    assert.ifError((await firstCatch(built))?.error)
  })

  for (const [mutants, batchFrom] of [
    [READING, built],
    [SENDING, built],
    [WRITING, buildBatch],
  ] as const)
    for (const [name, mutant] of Object.entries(mutants))
      it(name, async (t) => {
        const caught = await mutating.during(mutant, () => firstCatch(batchFrom))
        assert.ok(caught, `not caught in ${WORLDS} worlds`)
        t.annotate(`caught by the first ${caught.worlds} worlds`)
      })
})
