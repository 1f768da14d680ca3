/** The example for Go, compiled, keeps the promise of all examples. docs/guides/check-in-your-framework.md shows its code. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { it } from 'vitest'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { describeExample } from './promise.ts'
import { copyOf, startExample } from './start.ts'

async function start() {
  const folder = copyOf('go')
  const missing = await whyMissing('Go', run('go', ['version']))
  if (missing !== undefined) return missing
  const inFolder = { cwd: folder }
  assert.equal((await run('gofmt', ['-l', '.'], inFolder)).stdout, '')
  await run('go', ['vet', './...'], inFolder)
  await run('go', ['build', '-o', 'app', '.'], inFolder)
  return startExample(folder, path.join(folder, 'app'))
}

const example = await start()

describeExample('Go', example, { folder: 'go', readsEncodedSlashes: true, repeatsCalls: true })

it.runIf(typeof example !== 'string')('the Go example refuses bytes that JSON would turn into another id', async () => {
  if (typeof example === 'string') return
  const { commonhold, send } = example
  const replacement = '\ufffd'
  const resource = { type: 'document', id: replacement, organizationId: 'acme' } as const
  await commonhold.documents.add({
    organizationId: 'acme',
    documents: [{ documentId: replacement, accessType: 'restricted' }],
  })
  await commonhold.grant({ userId: 'ada', resource, accessRole: 'viewer' })
  const path = '/organizations/acme/documents/'
  assert.equal((await send('GET', path + encodeURIComponent(replacement), 'ada')).status, 200)
  assert.equal((await send('GET', `${path}%ff`, 'ada')).status, 400)
})
