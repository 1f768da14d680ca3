/** The demo with a server of its own has a past: questions about yesterday and about two months ago have answers. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { createClient } from '#sdk/index.ts'
import { startProcess, temporaryFolder } from '#testing/processes/process.ts'
import { makeOwnDemo } from '../../scripts/demo/own-server.ts'

const DAY_MS = 86_400_000

it('spreads its events over three months, and is made once', async () => {
  const folder = temporaryFolder()
  const made = await makeOwnDemo(folder, () => {})
  const { url } = await startProcess({ DATA_DIR: folder })
  const client = createClient({ url, ...made })

  const now = Date.now()
  const countBetween = async (from: number, to: number) =>
    (await client.events.list({ from: now + from * DAY_MS, to: now + to * DAY_MS })).events.length
  assert.equal(await countBetween(-400, -89), 0)
  for (const [from, to] of [
    [-89, -86],
    [-61, -50],
    [-31, -20],
    [-8, -5],
    [-1.5, -0.5],
  ] as const)
    assert.ok((await countBetween(from, to)) > 0, `nothing happened between ${-from} and ${-to} days ago`)

  assert.deepEqual(await makeOwnDemo(folder, () => assert.fail('it was made again')), made)
})
