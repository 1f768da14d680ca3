/** Actionlint finds nothing in the workflow. It is built by Go, or the test is skipped. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'

it('the workflow passes actionlint', { timeout: patient(900_000) }, async (context) => {
  const missing = await whyMissing('actionlint', run('go', ['run', ACTIONLINT, '-version']))
  if (missing !== undefined) context.skip(missing)
  const { stdout } = await run('go', ['run', ACTIONLINT, '.github/workflows/ci.yml'], { cwd: ROOT }).catch(
    (failure: { stdout: string }) => failure,
  )
  assert.equal(stdout, '')
})
