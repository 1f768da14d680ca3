/** How requests are divided among workspaces and hosts. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Ready, Slots } from './slots.ts'

let keys = 0
const endpoints = (count: number, workspaceId: string, host: (nth: number) => string): Ready[] =>
  Array.from({ length: count }, (_, nth) => ({
    endpointKey: ++keys,
    works: true,
    workspaceId,
    url: `https://${host(nth)}/hook`,
  }))

/** Begins the requests that the endpoints get, repeatedly until they get none, and returns their number. */
function take(slots: Slots, ready: readonly Ready[]): number {
  for (let taken = 0; ; ) {
    const given = slots.shares(ready)
    const count = given.reduce((sum, { slots }) => sum + slots, 0)
    if (count === 0) return taken
    taken += count
    for (const [nth, share] of given.entries())
      for (let begun = 0; begun < share.slots; begun++) slots.begin({ ...(ready[nth] as Ready), isFailing: false })
  }
}

const ownHost = (workspaceId: string) => (nth: number) => `${workspaceId}-${nth}.example.com`

describe('slots', () => {
  it('leave some to a new workspace, after twenty workspaces that take all they get', () => {
    const slots = new Slots(0)
    for (let nth = 0; nth < 20; nth++) {
      const workspaceId = `w${nth}`
      const taken = take(slots, endpoints(500, workspaceId, ownHost(workspaceId)))
      assert.ok(taken >= 1, `workspace ${nth} got nothing, with ${slots.running} under way`)
    }
  })

  it('give a workspace alone a fifth of them, and four greedy ones half', () => {
    const alone = new Slots(0)
    assert.equal(take(alone, endpoints(1_000, 'a', ownHost('a'))), 103)
    const four = new Slots(0)
    for (const workspaceId of ['a', 'b', 'c', 'd']) take(four, endpoints(500, workspaceId, ownHost(workspaceId)))
    assert.ok(four.free().working >= 200, `${four.free().working} are left`)
  })

  it('limit a host over all workspaces, and more so while it fails, but leave one to each further workspace', () => {
    const slots = new Slots(0)
    const [one, ...others] = ['a', 'b', 'c'].map((workspaceId) => endpoints(100, workspaceId, () => 'one.example.com'))
    assert.equal(take(slots, one ?? []), 16)
    for (const other of others) assert.equal(take(slots, other), 1)
    const [first] = others
    slots.end(first?.[0]?.endpointKey ?? 0, { ok: true, durationMs: 10 })
    assert.equal(take(slots, one ?? []), 0)
    assert.equal(take(slots, first ?? []), 1)
    for (const { endpointKey } of (one ?? []).slice(0, 8))
      for (const _ of [1, 2]) slots.end(endpointKey, { ok: false, durationMs: 10 })
    assert.equal(take(slots, one ?? []), 2)
  })

  it('limit the requests to a host in a second', () => {
    const slots = new Slots(10)
    const ready = endpoints(1, 'a', () => 'one.example.com')
    let sent = 0
    for (let round = 0; round < 50; round++) {
      const taken = take(slots, ready)
      sent += taken
      for (let ended = 0; ended < taken; ended++) slots.end(ready[0]?.endpointKey ?? 0, { ok: true, durationMs: 1 })
    }
    assert.equal(sent, 9, 'one of them is left to other workspaces')
    const other = endpoints(5, 'b', () => 'one.example.com')
    assert.equal(take(slots, other), 1)
    assert.equal(
      take(
        slots,
        endpoints(5, 'c', () => 'one.example.com'),
      ),
      0,
    )
  })

  it('leave some of a low rate to other workspaces, and all of the lowest to one', () => {
    for (const [perSecond, ofOne] of [
      [1, 1],
      [2, 1],
      [5, 4],
      [15, 13],
    ] as const)
      assert.equal(
        take(
          new Slots(perSecond),
          endpoints(20, 'a', () => 'one.example.com'),
        ),
        ofOne,
      )
  })

  it('pause an endpoint that gets nothing because of others, so that it is not examined again at once', () => {
    const slots = new Slots(0)
    take(
      slots,
      endpoints(100, 'a', () => 'one.example.com'),
    )
    assert.ok(slots.shares(endpoints(1, 'a', () => 'one.example.com')).every(({ pauseMs }) => pauseMs > 0))
    assert.ok(slots.shares(endpoints(1, 'b', () => 'other.example.com')).every(({ pauseMs }) => pauseMs === 0))
  })
})
