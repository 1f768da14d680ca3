/**
 * A killed `buckets` command is started again at once, and PostgreSQL has ended its statements; or nobody starts it
 * again, and servers open the bucket or key that it has left closed.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { isServed, query, report, runCommand, settingsOf, startBucketPostgres, startCommand } from './bucket-world.ts'
import {
  held,
  heldBeforeHome,
  heldInCopy,
  isWaiting,
  LOCK_CLOSED,
  said,
  startBucket,
  succeeded,
} from './held-command.ts'

const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
let worlds = 0

const startWorld = () => startBucket(`killed${++worlds}`, { home: other, from: one, to: other })

const CREATES_SLOT = `
  select pid from pg_stat_activity where query like '%pg_create_logical_replication_slot%' and pid <> pg_backend_pid()`

describe('a command that was killed while PostgreSQL works for it', () => {
  it('is continued, or undone, at once', async () => {
    const { home, from, to, key } = await startWorld()
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

  it('leaves the home database free for the next command', async () => {
    const { home, to } = await startWorld()
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

describe('a command that nobody starts again', () => {
  const organization = (organizationId: string) => ({ organizations: [{ organizationId }] })
  const settled = async (home: string) =>
    (await query(home, 'select from bucket_moves where switched_at is null')).length

  it('leaves a closed bucket to the servers, one of which is killed with it', async () => {
    const world = await startWorld()
    const { home, from, to, server, key } = world
    const second = await startProcess(settingsOf(home))
    const keys = [key, second.client.with(key.headers)] as const
    for (const each of keys) await until('both serve', () => isServed(each))
    const { die } = await heldBeforeHome(world)
    const since = performance.now()
    const passed = (what: string) => report(`${what} after ${Math.round(performance.now() - since)} ms`)
    await server.kill('SIGKILL')
    const restarted = startProcess({ ...settingsOf(home), PORT: new URL(server.url).port })
    await die()
    passed('the command is dead')
    await until('the survivor serves', () => isServed(keys[1]))
    passed('the survivor serves')
    await restarted
    passed('the killed server is there again')
    await until('the killed server serves', () => isServed(keys[0]))
    passed('the killed server serves')
    for (const each of keys) await each.call(addOrganizations, organization(`of ${keys.indexOf(each)}`))
    assert.equal((await query(to, 'select from organizations')).length, 3)
    await assert.rejects(query(from, 'select from organizations'), /does not exist/)
    await runCommand(home, 'move', 'eu1', '--confirm')
    assert.deepEqual(await query(one.url, 'select from pg_replication_slots'), [])
  })

  it('is completed by a server that starts later, and the next command finds that', async () => {
    const world = await startWorld()
    const { home, server, key } = world
    await server.kill('SIGKILL')
    await (await heldBeforeHome(world)).die()
    const again = (await startProcess(settingsOf(home))).client.with(key.headers)
    await until('the bucket serves', () => isServed(again))
    assert.equal(await settled(home), 0)
    const { stderr } = await startCommand(home, 'move', 'eu1').exited
    assert.match(stderr, /was moved to .*confirm that first/)
    await runCommand(home, 'move', 'eu1', '--undo')
    await until('the bucket serves', () => isServed(again))
    // The state after a kill that came too late: an undone move stays undone.
    const undone = await startCommand(home, 'move', 'eu1', '--undo').exited
    assert.match(undone.stderr, /was taken back to .*already; end that with --confirm/)
    await runCommand(home, 'move', 'eu1', '--confirm')
  })

  it('loses its locks when it is stopped instead of killed', async () => {
    const { home, from, to, key } = await startWorld()
    const [command, letCopy] = await heldInCopy(home, { from, to }, '--to', to)
    const letRecord = await held(to, LOCK_CLOSED)
    await letCopy()
    await said(command, /Writes waited/)
    command.child.kill('SIGSTOP')
    await letRecord()
    await until('the bucket serves', () => isServed(key))
    await key.call(addOrganizations, organization('later'))
    command.child.kill('SIGCONT')
    const { code } = await command.exited
    assert.notEqual(code, 0)
    assert.ok(await isServed(key))
    await runCommand(home, 'move', 'eu1', '--confirm')
    assert.equal((await key.call(getOrganizations, {})).length, 2)
  })

  for (const [step, isCopied, signal] of [
    ['before its key is copied', false, 'SIGKILL'],
    ['after its key is copied', true, 'SIGKILL'],
    ['when it is stopped instead', false, 'SIGSTOP'],
  ] as const)
    it(`leaves a key that takes no changes to the servers, ${step}`, async () => {
      const { home, from, to, key } = await startWorld()
      await runCommand(home, 'create', 'us1', '--url', to)
      const second = await startProcess(settingsOf(home))
      const release = isCopied
        ? await held(home, 'lock table key_places in exclusive mode')
        : await held(to, 'lock table organizations in exclusive mode')
      const command = startCommand(home, 'move-key', apiKeyOf(key), '--to', 'us1')
      await said(command, /are refused/)
      if (isCopied) await said(command, /Everything is copied/)
      await until('the command to wait', () =>
        isWaiting(isCopied ? home : to, isCopied ? 'key_places' : 'organizations'),
      )
      assert.equal((await key.post(addOrganizations.path, organization('early'))).http, 503)
      if (signal === 'SIGKILL') await command.kill(signal)
      else command.child.kill(signal)
      await release()
      const isChanged = async () => (await key.post(addOrganizations.path, organization('early'))).http === 200
      await until('changes are accepted', isChanged)
      const there = await query(isCopied ? to : from, `select from organizations where organization_id = 'early'`)
      assert.equal(there.length, 1)
      await until('the other server serves', () => isServed(second.client.with(key.headers)))
      if (signal === 'SIGSTOP') {
        command.child.kill('SIGCONT')
        const { code, stderr } = await command.exited
        assert.notEqual(code, 0)
        assert.match(stderr, /If this command was stopped, .* start the same command again/)
      }
      // The command deletes the old rows, or starts from the beginning.
      await runCommand(home, 'move-key', apiKeyOf(key), '--to', 'us1')
      await until(
        'changes are accepted',
        async () => (await key.post(addOrganizations.path, organization('late'))).http === 200,
      )
      assert.equal((await key.call(getOrganizations, {})).length, 3)
      assert.deepEqual(await query(from, 'select from organizations'), [])
    })
})
