/** Passes over a table of sealed secrets, and commands that run at the same time. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createSealer, type Sealer } from '#platform/secrets/seal.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createLastingStore } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { ConfigError } from '../setting-values.ts'
import { checkMasterKey, forgetEarlierKeys } from './check.ts'
import { resealColumn } from './reseal.ts'

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const earlier = createSealer(FIRST)
const current = createSealer(SECOND, [FIRST])
const HOME = 'the home database'

/** Each secret of these tests is the id of its workspace. */
const COLUMN = { table: 'workspace_tokens', column: 'token_sealed', row: 'workspace_id' }
const contextOf = (row: string) => ({ column: 'workspace_tokens.token_sealed', row })

async function openStore(): Promise<Db> {
  const store = await createLastingStore()
  const db = await store.open()
  cleanUp(() => db.close())
  await migrate(db)
  return db
}

async function addTokens(db: Db, rows: readonly string[], sealedAs: (row: string) => Buffer): Promise<void> {
  await db.query(
    `insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar)
     select unnest($1::text[]), '', 'ada', 'ada@example.com', '', ''`,
    [rows],
  )
  await db.query(
    `insert into workspace_tokens (token_hash, workspace_id, name, token_sealed)
     select convert_to(row, 'UTF8'), row, '', sealed from unnest($1::text[], $2::bytea[]) as token (row, sealed)`,
    [rows, rows.map(sealedAs)],
  )
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

async function countOpened(db: Db, sealer: Sealer): Promise<number> {
  const { rows } = await db.query('select workspace_id as row, token_sealed as sealed from workspace_tokens')
  return (rows as { row: string; sealed: Buffer }[]).filter(({ row, sealed }) => {
    try {
      return sealer.open(sealed, contextOf(row)) === row
    } catch {
      return false
    }
  }).length
}

describe.skipIf(ENGINE !== 'postgres')('sealing a column again', () => {
  it('goes on behind values that no key opens, however many there are, and counts all of them', async () => {
    const db = await openStore()
    const unknown = createSealer(THIRD).seal('lost', contextOf('another'))
    const count = 50_001
    await addTokens(db, named('lost', count), () => unknown)
    await addTokens(db, named('kept', 10), (row) => earlier.seal(row, contextOf(row)))
    assert.deepEqual(await resealColumn(db, current, COLUMN), { resealed: 10, unreadable: count })
    assert.equal(await countOpened(db, createSealer(SECOND)), 10)
  })

  it('waits between passes for a row that somebody is changing', async () => {
    const db = await openStore()
    await addTokens(db, named('w', 3), (row) => earlier.seal(row, contextOf(row)))
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const holder = db.transaction(async (session) => {
      await session.query(`select from workspace_tokens where workspace_id = 'w1' for update`)
      hold()
      await released
    })
    await held
    let statements = 0
    const counting: Pick<Db, 'query'> = {
      query(text, values) {
        statements++
        return db.query(text, values)
      },
    }
    const resealed = resealColumn(counting, current, COLUMN)
    await sleep(1_000)
    const before = statements
    release()
    await holder
    assert.deepEqual(await resealed, { resealed: 3, unreadable: 0 })
    assert.ok(before < 30, `${before} statements in a second`)
  })
})

describe.skipIf(ENGINE !== 'postgres')('two commands at the same time', () => {
  it('both forget the earlier keys, but not a key with which a server has started meanwhile', async () => {
    const db = await openStore()
    await checkMasterKey(db, earlier)
    await assert.rejects(forgetEarlierKeys(db, HOME, current), /No server has opened the home database with this/)
    await checkMasterKey(db, current)
    const both = [await forgetEarlierKeys(db, HOME, current), await forgetEarlierKeys(db, HOME, current)]
    for (const forget of both) await forget()
    await checkMasterKey(db, createSealer(SECOND))
    await assert.rejects(checkMasterKey(db, earlier), ConfigError)
    const forget = await forgetEarlierKeys(db, HOME, current)
    await checkMasterKey(db, createSealer(THIRD, [SECOND]))
    await assert.rejects(forget(), /A server with another master key has started meanwhile/)
  })
})
