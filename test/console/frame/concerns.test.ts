/** The console's reaction to a change by somebody else, tested without a browser: what it refetches, and where rows stay. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { TYPES } from '#contract/events/event-types.ts'
import { NOTHING, stateAfter } from '../../../console/src/components/tables/steady-rows.ts'
import { EVENT_TYPES } from '../../../console/src/generated/event-types.ts'
import { KEY_QUERIES } from '../../../console/src/queries/keys/key-queries.ts'
import {
  type Change,
  CONCERNED,
  isConcerned,
  isFollowed,
  NOT_FOLLOWED,
} from '../../../console/src/queries/live/concerns.ts'
import { earliestEnd } from '../../../console/src/queries/live/earliest-end.ts'
import { type Rows, staticRows } from '../../../console/src/queries/pages/rows.ts'

describe('which queries an event concerns', () => {
  it('is decided for every type of event, and every query is refetched by one or says why not', () => {
    assert.deepEqual(Object.keys(CONCERNED).toSorted(), [...TYPES].toSorted())
    assert.deepEqual([...EVENT_TYPES].toSorted(), [...TYPES].toSorted())
    const followed = new Set<string>([...Object.values(CONCERNED).flat(), 'events'])
    for (const kind of KEY_QUERIES) assert.notEqual(followed.has(kind), kind in NOT_FOLLOWED, kind)
    for (const kind of Object.keys(NOT_FOLLOWED)) assert.ok(!isFollowed(['key', 'chk_1', kind]))
  })

  const change = (type: Change['type'], rest: Partial<Change> = {}): Change => ({
    type,
    organizationId: 'acme',
    ...rest,
  })
  const granted = change('permission.added', { userId: 'ada' })
  const of = (...rest: unknown[]) => ['key', 'chk_1', ...rest]
  const document = (organizationId: string) => ({ type: 'document', id: 'roadmap', organizationId })
  const concerned: [readonly unknown[], Change, boolean][] = [
    [of('permitted-users', 'named', document('acme'), 'page', undefined), granted, true],
    [of('permitted-users', 'named', document('other'), 'page', undefined), granted, false],
    [of('permitted-users', 'named', { type: 'organization', id: 'acme' }), granted, true],
    [of('permitted-users', 'named', { type: 'organization', id: 'other' }), granted, false],
    [of('users', 'acme', { organizationId: 'acme' }), granted, true],
    [of('users', 'other', { organizationId: 'other' }), granted, false],
    [of('grants', 'acme', 'scanned', [{ type: 'document', id: 'roadmap' }]), granted, true],
    [of('explanation', { userId: 'ada', resource: document('acme') }), granted, true],
    [of('explanation', { userId: 'bob', resource: document('acme') }), granted, false],
    [of('explanation', { userId: 'bob', resource: document('acme') }), change('permission.added'), true], // of a group
    [of('explanation', { userId: 'ada', resource: document('other') }), granted, false],
    [of('user-data', 'ada'), granted, true],
    [of('user-data', 'bob'), granted, false],
    [of('inbox', 'acme', 'bob'), change('comment.added', { userId: 'ada' }), true],
    [of('threads', { organizationId: 'acme' }), granted, false],
    [of('folders', 'acme', 'in', undefined), granted, false],
    [of('folders', 'acme', 'in', undefined), change('folder.added'), true],
    [of('organizations', 'list', 'id'), change('organization.added', { organizationId: 'new' }), true],
    [of('settings', 'config'), { type: 'api_key.updated' }, true],
    [of('permitted-users', 'named', document('acme')), { type: 'api_key.updated' }, true],
    [of('webhooks', 'endpoints'), granted, false],
    [of('access-review', 'acme'), granted, true],
    [of('access-review', 'other'), granted, false],
    [['workspace', 'findings'], { type: 'operator.passkey_added' }, true],
    [of('events', { pageSize: 10 }), { type: 'user_token.generated' }, true],
    [of('preview', document('acme'), {}), granted, false],
    [['workspace', 'keys', 'offered'], { type: 'api_key.created' }, true],
    [['workspace', 'operators'], { type: 'api_key.created' }, false],
    [['workspace', 'operators'], { type: 'operator.updated' }, true],
    [['workspace', 'events', {}], { type: 'operator.updated' }, true],
    [['session'], { type: 'operator.updated' }, false],
  ]
  it('follows from its type, organization and user', () => {
    for (const [queryKey, event, expected] of concerned)
      assert.equal(isConcerned(queryKey, [event]), expected, JSON.stringify([queryKey, event]))
  })
})

describe('the earliest expiry', () => {
  it('is found in data of any shape, in seconds and milliseconds, and is in the future', () => {
    const now = 2_000_000_000_000
    const page = {
      rows: [{ expiresAt: 1_999_999_999 }, { liveGrants: [{ expiresAt: 2_000_000_009 }] }],
      next: undefined,
    }
    assert.equal(earliestEnd(page, now), 2_000_000_009_000)
    assert.equal(earliestEnd(new Map([['ada', { endsAt: 2_000_000_005_000 }]]), now), 2_000_000_005_000)
    assert.equal(earliestEnd([page, [{ endsAt: 2_000_000_001_000 }]], now), 2_000_000_001_000)
    for (const data of [undefined, null, 7, 'expiresAt', [], { expiresAt: null }, { expiresAt: 1 }])
      assert.equal(earliestEnd(data, now), undefined)
  })
})

describe('the rows of a list that somebody reads', () => {
  interface Person {
    id: string
    role?: string
  }
  const idOf = ({ id }: Person) => id
  const people = (ids: string, role?: string) => [...ids].map((id): Person => ({ id, ...(role && { role }) }))
  const rows = (of: readonly Person[], source: Partial<Rows<Person>['source']> = {}) =>
    staticRows(of, { source: { list: 'people', ownChanges: 0, isFetching: false, ...source } })
  const read = (ids: string) => stateAfter(NOTHING, rows(people(ids)), idOf)
  const shownOf = ({ shown }: { shown: readonly Person[] }) => shown.map(idOf).join('')

  const changes: [string, string, string, string, number][] = [
    // before, after, shown, gone, waiting
    ['abc', 'abc', 'abc', '', 0],
    ['abc', 'abcd', 'abcd', '', 0], // an addition at the end moves nothing
    ['abc', 'xabc', 'abc', '', 1],
    ['abc', 'axbyc', 'abc', '', 2],
    ['abc', 'ac', 'abc', 'b', 0],
    ['abc', 'xcd', 'abcd', 'ab', 1],
    ['abc', '', 'abc', 'abc', 0],
    ['abc', 'cab', 'abc', '', 1],
    ['', 'ab', 'ab', '', 0],
  ]
  it('stay in place: deleted ones are marked, new ones wait or come last', () => {
    for (const [before, after, shown, gone, waiting] of changes) {
      const state = stateAfter(read(before), rows(people(after)), idOf)
      assert.deepEqual(
        [shownOf(state), [...state.gone].join(''), state.waiting],
        [shown, gone, waiting],
        `${before} ${after}`,
      )
    }
  })

  it('are updated in place, and come back', () => {
    const first = stateAfter(read('abc'), rows(people('ac', 'viewer')), idOf)
    assert.deepEqual(first.shown, [{ id: 'a', role: 'viewer' }, { id: 'b' }, { id: 'c', role: 'viewer' }])
    const second = stateAfter(first, rows(people('abc')), idOf)
    assert.deepEqual([second.gone.size, second.waiting], [0, 0])
  })

  it('are shown at once after a change by the same person, with another filter or order, and while the list is opened', () => {
    const own = [{ ownChanges: 1 }, { ownChanges: -1 }, { list: 'people by name' }]
    for (const source of own) assert.equal(shownOf(stateAfter(read('abc'), rows(people('xa'), source), idOf)), 'xa')
    const opening = stateAfter(NOTHING, rows(people('ab'), { isFetching: true }), idOf)
    assert.equal(shownOf(stateAfter(opening, rows(people('xab')), idOf)), 'xab')
  })

  it('settle: the same rows lead to the same state', () => {
    const state = stateAfter(read('abc'), rows(people('xb')), idOf)
    assert.equal(stateAfter(state, rows([...state.loaded]), idOf), state)
    const fresh = read('abc')
    assert.equal(stateAfter(fresh, rows([...fresh.loaded]), idOf), fresh)
  })
})
