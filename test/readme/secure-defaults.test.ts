/** docs/secure-defaults.md: the commands that check an installation run verbatim, on a server that keeps the defaults of PostgreSQL. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { isShown, printedBy, stepsOf } from '#testing/pages/shell.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { startServer } from '#testing/server.ts'
import { callersFrom } from '../conformance/support/callers.ts'
import { read } from '../repository/sources.ts'

const SIGNUP_TOKEN = 'the-token-of-this-installation'
const page = read('docs/secure-defaults.md')

describe('docs/secure-defaults.md', () => {
  it('prints what it shows on a server that is ready for production', async () => {
    const server = await startServer({ SIGNUP: 'token', SIGNUP_TOKEN })
    const { apiKey } = await callersFrom(server.client.with({ 'x-service-signup-token': SIGNUP_TOKEN }))
    await apiKey.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    const steps = stepsOf(page)
    const printed = await printedBy(steps, {
      cwd: temporaryFolder(),
      env: {
        PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
        COMMONHOLD_URL: server.url,
        COMMONHOLD_API_KEY: apiKey.headers['x-service-api-key'] ?? '',
        COMMONHOLD_AUTH_TOKEN: apiKey.headers['x-service-auth-token'] ?? '',
      },
    })
    assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? '')
    for (const [index, { commands, shown }] of steps.entries())
      assert.ok(isShown(printed[index] ?? '', shown), `${commands}\nprinted\n${printed[index]}\nnot\n${shown}`)
  })
})
