/** An import can be interrupted anywhere and resumed with the same result. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { MovingFailure } from '#moving/failure.ts'
import type { Client } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { startScript, temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { toFile } from '../../cli/moving/export/export-file.ts'
import { LOCKS } from '../../cli/moving/files/file-lock.ts'
import { stateFileOf } from '../../cli/moving/import/import-file.ts'
import { exportTo, faultsIn, importFrom, importWhole, writeExport } from './files.ts'
import { fillRandomly, randomFrom } from './worlds.ts'

const server = await sharedServer()
const folder = temporaryFolder()
const newClient = async (): Promise<Client> => apiKeyClient(server.url, await server.newKey())
const file = (name: string): string => path.join(folder, name)
const portion = { records: 7, bytes: 100_000 }

/** More for a soak test. */
const KILLS = Number(process.env.MOVING_KILLS ?? 2)

/** Aborts after a number of portions, like Ctrl-C. */
function stopAfter(portions: number) {
  const controller = new AbortController()
  let done = 0
  const onProgress = () => {
    if (++done > portions) controller.abort()
  }
  return { signal: controller.signal, onProgress }
}

const seed = Number(process.env.SEED ?? 11)
const filled = await newClient()
await fillRandomly(filled, seed)
const exported = await exportTo(file('world.ndjson'), filled)

/** Copies the export under another name, so that the state files of imports are separate. */
function worldIn(name: string): void {
  writeFileSync(file(name), exported)
}

describe('an import that is interrupted', () => {
  it('can be resumed repeatedly until it is complete', async () => {
    worldIn('a.ndjson')
    const to = await newClient()
    const random = randomFrom(4)
    for (let tries = 1; ; tries++) {
      const resume = existsSync(stateFileOf(file('a.ndjson')))
      try {
        await importWhole(file('a.ndjson'), to, { resume, portion, ...stopAfter(Math.floor(random() * 30)) })
        assert.ok(tries > 3, 'it was interrupted often enough')
        break
      } catch (error) {
        assert.equal((error as Error).name, 'AbortError')
      }
    }
    assert.equal(await exportTo(file('a-again.ndjson'), to), exported)
    assert.ok(!existsSync(stateFileOf(file('a.ndjson'))))
  })

  it('can be resumed after its process was killed', async () => {
    worldIn('killed.ndjson')
    const headers = await server.newKey()
    const script = path.join(import.meta.dirname, 'importing-process.ts')
    const random = randomFrom(9)
    for (let kills = 0; ; kills++) {
      const importing = startScript(script, {}, [file('killed.ndjson'), server.url, JSON.stringify(headers.headers)])
      const ended = importing.exited.then(({ code, stderr }) => ({ code, stderr }))
      if (kills < KILLS) {
        while (!importing.output.stdout.includes('begins') && importing.child.exitCode === null) await sleep(5)
        await sleep(random() * 400)
        await importing.kill('SIGKILL')
      }
      const { code, stderr } = await ended
      if (code === null) continue
      assert.deepEqual([code, stderr], [0, ''])
      break
    }
    assert.equal(await exportTo(file('killed-again.ndjson'), apiKeyClient(server.url, headers)), exported)
  })

  it('is reported if the file is imported again without --resume, or with another target', async () => {
    worldIn('changed.ndjson')
    const to = await newClient()
    await assert.rejects(importFrom(file('changed.ndjson'), to, { portion, ...stopAfter(3) }), { name: 'AbortError' })
    await assert.rejects(importFrom(file('changed.ndjson'), to), saying(/was interrupted after line \d+\./, /--resume/))
    const elsewhere = { resume: true, target: 'elsewhere' }
    await assert.rejects(
      importFrom(file('changed.ndjson'), to, elsewhere),
      saying(/its target was the target/, /delete/),
    )
    writeFileSync(file('changed.ndjson'), readFileSync(file('changed.ndjson'), 'utf8').replace('export', 'Export'))
    await assert.rejects(
      importFrom(file('changed.ndjson'), to, { resume: true }),
      saying(/was changed since/, /delete/),
    )
    rmSync(stateFileOf(file('changed.ndjson')))
    await assert.rejects(
      importFrom(file('changed.ndjson'), to, { resume: true }),
      saying(/no import of this file/, /without/),
    )
  })

  it('is not resumed if any part of the file was changed, even a part that is imported', async () => {
    const grants = Array.from({ length: 2_000 }, (_, nth) => ({
      ...{ record: 'grant', userId: `user-${nth}`, type: 'organization', id: 'acme', organizationId: 'acme' },
      accessRole: 'viewer',
    }))
    const organization = { record: 'organization', organizationId: 'acme' }
    writeExport(file('deep.ndjson'), [organization, ...grants])
    const to = await newClient()
    await assert.rejects(
      importFrom(file('deep.ndjson'), to, { portion: { ...portion, records: 500 }, ...stopAfter(4) }),
    )
    const text = readFileSync(file('deep.ndjson'), 'utf8')
    const at = text.indexOf('viewer', text.indexOf('"user-900"'))
    assert.ok(at > 64 * 1024, 'the change is far from the beginning')
    writeFileSync(file('deep.ndjson'), `${text.slice(0, at)}editor${text.slice(at + 6)}`)
    await assert.rejects(importFrom(file('deep.ndjson'), to, { resume: true }), saying(/was changed since/, /delete/))
  })

  it('excludes another import of the same file until it ends', async () => {
    worldIn('twice.ndjson')
    const to = await newClient()
    let other: Promise<unknown> | undefined
    const onProgress = () => {
      other ??= assert.rejects(
        importFrom(file('twice.ndjson'), to, { resume: existsSync(stateFileOf(file('twice.ndjson'))), portion }),
        saying(/is being imported by another process/, /Wait/),
      )
    }
    await importWhole(file('twice.ndjson'), to, { portion, onProgress })
    await other
    await importWhole(file('twice.ndjson'), to)
    assert.ok(!existsSync(LOCKS.import.pathOf(file('twice.ndjson'))))
  })

  it('writes each refused line once to the errors file', async () => {
    worldIn('errors.ndjson')
    const lines = readFileSync(file('errors.ndjson'), 'utf8').split('\n')
    for (const at of [3, 5, 30, 31, 60]) lines[at] = '{"record":"nonsense"}'
    writeFileSync(file('errors.ndjson'), lines.join('\n'))
    const to = await newClient()
    let imported: Awaited<ReturnType<typeof importFrom>> | undefined
    for (let tries = 0; imported === undefined; tries++) {
      const resume = existsSync(stateFileOf(file('errors.ndjson')))
      const stop = tries < 4 ? stopAfter(4 + tries) : {}
      imported = await importFrom(file('errors.ndjson'), to, { resume, portion, ...stop }).catch(() => undefined)
    }
    const refused = faultsIn(imported.errorsFile).filter(({ reason }) => reason === 'invalid_record')
    assert.deepEqual(
      refused.map(({ line }) => line),
      [4, 6, 31, 32, 61],
    )
    assert.equal(imported.failed, faultsIn(imported.errorsFile).length)
  })

  it('ends with an error if the server stops, and can be resumed when it is back', async () => {
    worldIn('gone.ndjson')
    const headers = await server.newKey()
    const reaching = apiKeyClient(server.url, headers)
    let calls = 0
    const failing = new Proxy(reaching, {
      get: (target, name) => {
        if (name === 'documents' && calls++ > 2) throw new TypeError('gone')
        return Reflect.get(target, name)
      },
    })
    await assert.rejects(importFrom(file('gone.ndjson'), failing, { portion }), { message: 'gone' })
    await importWhole(file('gone.ndjson'), reaching, { resume: true })
    assert.equal(await exportTo(file('gone-again.ndjson'), reaching), exported)
  })
})

describe('an export to a file', () => {
  it('excludes another export to the same file until it ends', async () => {
    const first = toFile(file('both.ndjson'))
    assert.throws(() => toFile(file('both.ndjson')), saying(/is being written by another export/, /Wait/))
    await first.write('first\n')
    await first.end()
    const second = toFile(file('both.ndjson'))
    await second.abandon()
    assert.equal(readFileSync(file('both.ndjson'), 'utf8'), 'first\n')
    assert.ok(!existsSync(LOCKS.export.pathOf(file('both.ndjson'))))
  })
})

const saying = (message: RegExp, next: RegExp) => (error: unknown) => {
  assert.ok(error instanceof MovingFailure)
  assert.match(error.message, message)
  assert.match(error.next, next)
  return true
}
