/** The OpenAPI document passes the linter that many teams use, without a warning; it also validates every example against its schema. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'

const LINTER = path.join(ROOT, 'node_modules/.bin/redocly')
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

it('docs/reference/openapi.json passes redocly lint', async () => {
  const document = path.join(ROOT, 'docs/reference/openapi.json')
  const { stdout } = await promisify(execFile)(
    LINTER,
    ['lint', '--extends', 'recommended-strict', '--format', 'json', document],
    // Runs outside the repository, where the linter finds no configuration.
    { cwd: os.tmpdir(), env: { ...process.env, ...QUIET } },
  ).catch((failure: { stdout: string }) => failure)
  assert.deepEqual(JSON.parse(stdout).problems, [])
})
