/** An ambient transaction is one transaction for all work inside it, at any depth (ADR 0009). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, it } from 'vitest'
import type { Session } from '#platform/db/db.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { createStore, ENGINE } from '#testing/server.ts'

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})
await db.script('create table notes (note text)')
const ADD = setStatement<{ note: string }, never>(
  'notes.add',
  { note: 'text' },
  'insert into notes select note from $input',
)
const LIST = statement<{ note: string }>('notes.list', 'select note from notes order by note')
const READ = setStatement<{ req: number; note: string }, { req: number; note: string }>(
  'notes.read',
  { req: 'int', note: 'text' },
  'select item.req, n.note from $input join notes n on n.note = item.note',
)
const reading = coalescedReads<{ note: string }, { req: number; note: string }>(db, READ)

const add = (note: string, session: Session = db) => session.runSet(ADD, [{ note }])
const notes = async () => (await db.run(LIST)).map(({ note }) => note)
const fails = (work: () => Promise<unknown>, message = 'no') => assert.rejects(work, { message })
const no = () => {
  throw new Error('no')
}
beforeEach(() => db.script('delete from notes'))

describe('ambientTransaction', () => {
  it('commits all work inside: statements, transactions and statements in succession', async () => {
    const answer = await db.ambientTransaction(async () => {
      await add('a')
      await db.transaction((session) => add('b', session))
      await db.runInSuccession({ statement: ADD, rows: [{ note: 'c' }] }, [{ statement: ADD, rows: [{ note: 'd' }] }], {
        lockTimeoutMs: 50,
      })
      await db.query(`insert into notes values ('e')`)
      return notes()
    })
    assert.deepEqual(answer, ['a', 'b', 'c', 'd', 'e'])
    assert.deepEqual(await notes(), answer)
  })

  it('rolls back everything when it throws', async () => {
    await fails(() =>
      db.ambientTransaction(async () => {
        await add('a')
        await db.transaction((session) => add('b', session))
        no()
      }),
    )
    assert.deepEqual(await notes(), [])
  })

  it('rolls back a nested transaction that throws, at any depth, and keeps the work around it', async () => {
    await db.ambientTransaction(async () => {
      await add('a')
      const inner = db.transaction(async () => {
        await add('b')
        await fails(() => db.transaction((session) => add('c', session).then(no)))
        await assert.rejects(db.transaction((session) => session.query('nonsense')))
        await add('e')
        assert.deepEqual(await notes(), ['a', 'b', 'e'])
        await assert.rejects(db.query('nonsense'))
        await add('f') // refused: the failed statement was not rolled back
      })
      await assert.rejects(inner, /current transaction is aborted/)
      await add('d')
    })
    assert.deepEqual(await notes(), ['a', 'd'])
  })

  it('separates nested transactions that are started concurrently', async () => {
    await db.ambientTransaction(async () => {
      const slow = (note: string, end: () => unknown) =>
        db.transaction(async (session) => {
          await add(note, session)
          await sleep(5)
          end()
        })
      await Promise.allSettled([slow('a', () => {}), slow('b', no), add('c'), slow('d', () => {}), slow('e', no)])
    })
    assert.deepEqual(await notes(), ['a', 'c', 'd'])
  })

  it('is visible to a coalesced read inside, which is then not shared', async () => {
    const seen = await db.ambientTransaction(async () => {
      await add('a')
      return reading.run([{ note: 'a' }], 'tenant')
    })
    assert.deepEqual(seen, [{ req: 0, note: 'a' }])
  })

  it('is not joined by concurrent work outside it', { skip: ENGINE === 'embedded' }, async () => {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const inside = fails(() =>
      db.ambientTransaction(async () => {
        await add('inside')
        begun.resolve()
        await ended.promise
        no()
      }),
    )
    await begun.promise
    await add('beside')
    assert.deepEqual(await notes(), ['beside'])
    ended.resolve()
    await inside
    assert.deepEqual(await notes(), ['beside'])
  })

  it('is not joined by work that outlives it', async () => {
    const late = Promise.withResolvers<unknown>()
    await fails(() =>
      db.ambientTransaction(async () => {
        setTimeout(() => add('late').then(late.resolve, late.reject), 20)
        no()
      }),
    )
    await late.promise
    assert.deepEqual(await notes(), ['late'])
  })

  it('is retried as a whole after a lost race; nested transactions are not', async () => {
    const runs: string[] = []
    await db.ambientTransaction(async () => {
      runs.push('whole')
      await add(`run ${runs.length}`)
      await db.transaction(async () => {
        runs.push('inner')
        if (runs.length < 4) await db.query(`do $$ begin raise exception 'lost' using errcode = '40P01'; end $$`)
      })
    })
    assert.deepEqual(runs, ['whole', 'inner', 'whole', 'inner'])
    assert.deepEqual(await notes(), ['run 3'])
  })

  it('is visible only to work inside it', async () => {
    assert.equal(db.ambient, undefined)
    await db.ambientTransaction(async () => assert.deepEqual(db.ambient, { lockTimeoutMs: 70 }), { lockTimeoutMs: 70 })
    assert.equal(db.ambient, undefined)
  })
})

describe('afterCommit', () => {
  it('runs immediately without an ambient transaction, and after the commit within one', async () => {
    const order: string[] = []
    db.afterCommit(() => order.push('at once'))
    await db.ambientTransaction(async () => {
      await db.transaction(async () => db.afterCommit(() => order.push('after')))
      order.push('inside')
    })
    assert.deepEqual(order, ['at once', 'inside', 'after'])
  })

  it('does not run effects of rolled-back work', async () => {
    const order: string[] = []
    const never = () => order.push('never')
    const refused = async () => {
      db.afterCommit(never)
      no()
    }
    await db.ambientTransaction(async () => {
      await fails(() => db.transaction(refused))
      await fails(() => db.transaction(() => db.transaction(async () => db.afterCommit(never)).then(no)))
    })
    await fails(() => db.ambientTransaction(refused))
    assert.deepEqual(order, [])
  })
})
