/** The guarantees of the KeyedQueue. */
import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { Lifetime } from '../lifetime.ts'
import type { StatusError } from '../status-error.ts'
import { KeyedQueue, type Turn } from './keyed-queue.ts'

const lifetime = () => new Lifetime({ name: '', tenant: '', timeoutMs: 60_000, charge: () => {} })

/** Work that records its start in `begun` and ends when `end` is called with its name. */
function stage(atOnce: number) {
  const queue = new KeyedQueue(atOnce)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string, ...keys: string[]) => enterAs({ tenant: name, queue: 'short' }, name, ...keys)
  const enterAs = (turn: Pick<Turn, 'tenant' | 'queue'>, name: string, ...keys: string[]) =>
    queue.run({ ...turn, keys }, async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      return name
    })
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await tick()
  }
  return {
    queue,
    begun,
    settle,
    enter,
    enterAs,
    async end(name: string) {
      ends.get(name)?.()
      await settle()
    },
  }
}

describe('KeyedQueue', () => {
  it('runs work of one key sequentially, in order of arrival, and of other keys concurrently', async () => {
    const { queue, begun, enter, settle, end } = stage(5)
    const all = [enter('x', 'a'), enter('y', 'a'), enter('z', 'a'), enter('w', 'b')]
    await settle()
    assert.deepEqual(begun, ['x', 'w'])
    assert.equal(queue.waiting, 2)
    await end('x')
    assert.deepEqual(begun, ['x', 'w', 'y'])
    await end('y')
    assert.deepEqual(begun, ['x', 'w', 'y', 'z'])
    await end('z')
    await end('w')
    assert.deepEqual(await Promise.all(all), ['x', 'y', 'z', 'w'])
  })

  it('does not deadlock when work names several keys in any order', async () => {
    const { begun, enter, settle, end } = stage(5)
    const all = [enter('x', 'a', 'b'), enter('y', 'b', 'a'), enter('z', 'b', 'b')]
    await settle()
    assert.equal(begun.length, 1)
    await end(begun[0] ?? '')
    await end(begun[1] ?? '')
    await end(begun[2] ?? '')
    assert.deepEqual(await Promise.all(all), ['x', 'y', 'z'])
  })

  it('limits concurrent work, whatever its keys, also without keys', async () => {
    const { queue, begun, enter, settle, end } = stage(2)
    const all = [enter('x', 'a'), enter('y', 'b')]
    await settle()
    all.push(enter('z', 'c'), enter('w'))
    await settle()
    assert.deepEqual(begun, ['x', 'y'])
    assert.equal(queue.waiting, 2)
    for (const name of ['y', 'x', 'z', 'w']) await end(name)
    assert.deepEqual(await Promise.all(all), ['x', 'y', 'z', 'w'])
    assert.equal(queue.waiting, 0)
  })

  it('has a separate queue for long work, for which short work does not wait', async () => {
    const { begun, enterAs, settle, end } = stage(1)
    const all = [
      enterAs({ tenant: 'a', queue: 'long' }, 'long'),
      enterAs({ tenant: 'b', queue: 'long' }, 'long too'),
      enterAs({ tenant: 'a', queue: 'short' }, 'short'),
    ]
    await settle()
    assert.deepEqual(begun, ['long', 'short'])
    for (const name of ['short', 'long', 'long too']) await end(name)
    await Promise.all(all)
  })

  it('lets tenants take turns, and leaves a slot to others', async () => {
    const { begun, enterAs, settle, end } = stage(3)
    const of = (tenant: string, name: string) => enterAs({ tenant, queue: 'long' }, name)
    const all = [of('a', 'a1'), of('a', 'a2'), of('a', 'a3'), of('a', 'a4')]
    await settle()
    assert.deepEqual(begun, ['a1', 'a2'])
    all.push(of('b', 'b1'), of('b', 'b2'), of('c', 'c1'))
    await settle()
    assert.deepEqual(begun, ['a1', 'a2', 'b1'])
    for (const name of ['a1', 'b1', 'a2', 'c1', 'b2', 'a3', 'a4']) await end(name)
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'b2', 'a3', 'a4'])
    await Promise.all(all)
  })

  it('removes a request that ends from the queue of a key or of a slot, and loses neither', async () => {
    const { queue, begun, enterAs, settle, end } = stage(1)
    const turn = { tenant: 't', queue: 'long' } as const
    const first = enterAs(turn, 'first', 'a')
    const [forKey, forSlot] = [lifetime(), lifetime()]
    const ending = [
      forKey.run(() => enterAs(turn, 'for the key', 'a')),
      forSlot.run(() => enterAs(turn, 'for the slot', 'b')),
    ]
    const last = enterAs(turn, 'last', 'a', 'b')
    await settle()
    forKey.hangUp()
    forSlot.hangUp()
    for (const { status, reason } of (await Promise.allSettled(ending)) as PromiseRejectedResult[])
      assert.deepEqual([status, reason.reason], ['rejected', 'took_too_long'])
    await end('first')
    await end('last')
    assert.deepEqual([begun, queue.waiting], [['first', 'last'], 0])
    await Promise.all([first, last])
  })

  it('frees a key that is released when its next request ends', async () => {
    const { queue, enterAs, settle, end } = stage(1)
    const turn = { tenant: 't', queue: 'short' } as const
    const first = enterAs(turn, 'first', 'a')
    const ending = lifetime()
    const second = ending.run(() => queue.run({ ...turn, keys: ['a'] }, async () => 'done')).catch(() => {})
    await settle()
    const ended = end('first')
    ending.hangUp()
    await ended
    await second
    assert.equal(await queue.run({ ...turn, keys: ['a'] }, async () => 'free'), 'free')
    await first
  })

  it('continues after work that failed', async () => {
    const { queue } = stage(1)
    const turn = { tenant: 't', queue: 'short' } as const
    const failed = queue.run({ ...turn, keys: ['a', 'b'] }, async () => {
      throw new Error('no')
    })
    const next = queue.run({ ...turn, keys: ['b'] }, async () => 'yes')
    await assert.rejects(failed, /no/)
    assert.equal(await next, 'yes')
  })

  it('refuses with RESOURCE_EXHAUSTED when 100 wait for a key, and releases the other keys', async () => {
    const { begun, enter, settle, end } = stage(5)
    const all = Array.from({ length: 101 }, (_, index) => enter(`x${index}`, 'b'))
    await settle()
    await assert.rejects(enter('y', 'a', 'b'), (error: StatusError) => error.status === 'RESOURCE_EXHAUSTED')
    const other = enter('z', 'a')
    await settle()
    assert.deepEqual(begun, ['x0', 'z'])
    await end('z')
    for (let index = 0; index <= 100; index++) await end(`x${index}`)
    assert.equal((await Promise.all(all)).length, 101)
    assert.equal(await other, 'z')
  })
})
