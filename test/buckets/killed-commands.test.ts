/** A command of buckets that was killed in the middle of a statement is started again at once: PostgreSQL ends what it was doing. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { isServed, query, runCommand, startBucketPostgres, startCommand } from './bucket-world.ts'
import { held, isWaiting, said, startBucket, succeeded } from './held.ts'

const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])

const CREATES_SLOT = `
  select pid from pg_stat_activity where query like '%pg_create_logical_replication_slot%' and pid <> pg_backend_pid()`

describe('a command that was killed while PostgreSQL works for it', () => {
  it('is continued, or undone, at once', async () => {
    const { home, from, to, key } = await startBucket('killed', { home: other, from: one, to: other })
    // The command waits with its slot for this transaction.
    const letBegin = await held(from, 'select pg_current_xact_id()')
    const seen = new Set<unknown>()
    const killed = async (...args: string[]) => {
      const command = startCommand(home, 'move', 'eu1', ...args)
      await until('the command to wait', async () => {
        const found = (await query(from, CREATES_SLOT)).filter(({ pid }) => !seen.has(pid))
        for (const { pid } of found) seen.add(pid)
        return found.length > 0
      })
      await command.kill('SIGKILL')
    }
    await killed('--to', to)
    await killed()
    const { stdout } = await runCommand(home, 'move', 'eu1', '--undo')
    assert.match(stdout, /stays at/)
    await killed('--to', to)
    const again = startCommand(home, 'move', 'eu1')
    await said(again, /Going on/)
    await letBegin()
    await succeeded(again)
    await until('the bucket serves', () => isServed(key))
  })

  it('lets the next command have the home database', async () => {
    const { home, to } = await startBucket('homeless', { home: other, from: one, to: other })
    const letBegin = await held(home, 'lock table bucket_moves in exclusive mode')
    const command = startCommand(home, 'move', 'eu1', '--to', to)
    await until('the command to wait', () => isWaiting(home, 'bucket_moves'))
    await command.kill('SIGKILL')
    const again = startCommand(home, 'move', 'eu1', '--to', to)
    await until('the next command to wait', () => isWaiting(home, 'bucket_moves'))
    await letBegin()
    await succeeded(again)
  })
})
