/** The driver and the embedded engine exchange any values, of any size. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { databaseClock } from '../clock.ts'
import type { Db } from './db.ts'
import { openEmbedded } from './embedded.ts'
import { statement } from './statement.ts'
import { templateFolder } from './template.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('EngineSocket', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-test-'))
  let db: Db
  beforeAll(async () => {
    db = await openEmbedded(folder, databaseClock, templateFolder())
    await db.script('create table notes (id int primary key, text text)')
  })
  cleanUp(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('carries results of more than 10 MB, in one row and in many', async () => {
    const { rows: one } = await db.query(`select repeat('é', 8 * 1024 * 1024) as text`)
    assert.equal((one[0] as { text: string }).text.length, 8 * 1024 * 1024)
    const many = await db.run(
      statement<{ n: number; text: string }>(
        '',
        `select n, repeat('x', 1000) as text from generate_series(1, 15000) n`,
      ),
    )
    assert.equal(many.length, 15_000)
    assert.ok(many.every(({ n, text }, index) => n === index + 1 && text.length === 1_000))
  })

  it('carries values of more than 10 MB', async () => {
    const text = 'ж'.repeat(6 * 1024 * 1024)
    const [row] = await db.run(statement<{ text: string }>('', 'select $1::text as text'), [text])
    assert.ok(row?.text === text)
  })

  it('preserves every character', async () => {
    const text = `Grüße 你好 🏳️‍🌈 \u0001 \u{10ffff} '"\\ \r\n\t $1 e\u0301`
    const [row] = await db.run(
      statement<{ text: string; length: number }>('', 'select $1::text as text, length($1) as length'),
      [text],
    )
    assert.deepEqual(row, { text, length: [...text].length })
  })

  it('continues after an error outside transactions, in plain and in prepared statements', async () => {
    const divide = statement<{ result: number }>('test.divide', 'select 10 / $1::int as result')
    assert.deepEqual(await db.run(divide, [5]), [{ result: 2 }])
    await assert.rejects(db.run(divide, [0]), { code: '22012' })
    assert.deepEqual(await db.run(divide, [2]), [{ result: 5 }])
    const wrong = statement<never>('test.wrong', 'select * from nowhere')
    await assert.rejects(db.run(wrong), { code: '42P01' })
    await assert.rejects(db.run(wrong), { code: '42P01' })
    await assert.rejects(db.query('selec 1'), { code: '42601' })
    assert.deepEqual((await db.query('select 1 as one')).rows, [{ one: 1 }])
  })

  it('rolls back a transaction after an error, and the next one starts clean', async () => {
    const insert = statement<never>('test.insert', 'insert into notes values ($1, $2)')
    const work = db.transaction(async (session) => {
      await session.run(insert, [1, 'first'])
      await session.run(insert, [1, 'again'])
    })
    await assert.rejects(work, { code: '23505' })
    await assert.rejects(
      db.transaction(async (session) => {
        await session.run(insert, [2, 'second'])
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    assert.deepEqual((await db.query('select * from notes')).rows, [])
    await db.transaction((session) => session.run(insert, [1, 'first']))
    assert.deepEqual((await db.query('select * from notes')).rows, [{ id: 1, text: 'first' }])
  })

  it('runs several statements in one text, returns the rows of all, and rolls back all if one fails', async () => {
    const { rows } = await db.query(
      'select 1 as n; create table more (n int); insert into more values (2); select * from more',
    )
    assert.deepEqual(rows, [{ n: 1 }, { n: 2 }])
    await assert.rejects(db.script('insert into more values (3); select 1 / 0; insert into more values (4)'), {
      code: '22012',
    })
    assert.deepEqual((await db.query('select * from more')).rows, [{ n: 2 }])
  })

  it('returns to each concurrent call its own result', async () => {
    const echo = statement<{ n: number }>('test.echo', 'select $1::int as n')
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => db.run(echo, [n])))
    assert.deepEqual(
      answers.map(([row]) => row?.n),
      [...answers.keys()],
    )
  })

  it('frees the memory of a finished statement', async () => {
    const echo = statement<{ n: number }>('test.echo', 'select $1::int as n')
    const heapAfter = async (statements: number): Promise<number> => {
      for (let n = 0; n < statements; n++) await db.run(echo, [n])
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await heapAfter(2_000)
    const grown = (await heapAfter(10_000)) - before
    assert.ok(grown < 1_500_000, `${grown} bytes more after 10,000 statements`)
  })
})
