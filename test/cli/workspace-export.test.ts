/**
 * `export --workspace` and `import --workspace`, as docs/guides/move-in-and-out.md has them: what they count, what they
 * warn of, and which tokens they leave.
 */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { newHome } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

/** Returns the command line for two workspaces, in the profiles `old` and `new`. */
async function newProfiles() {
  const environment = { XDG_CONFIG_HOME: newHome(), COMMONHOLD_URL: server.url }
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, environment)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return { stdout, stderr }
  }
  for (const [profile, owner] of [
    ['old', 'wes@example.com'],
    ['new', 'mia@example.com'],
  ] as const)
    await ok('workspace', 'create', owner, '--access', 'restricted', '--save', profile)
  return ok
}

describe('a whole workspace', () => {
  it('is imported with as many records as were exported, and without a warning about what is restricted', async () => {
    const ok = await newProfiles()
    const file = path.join(newHome(), 'all.ndjson')
    const exported = await ok('export', '--workspace', file, '--profile', 'old')
    const [, records] = /^✓ (\d+) records, /.exec(exported.stderr) ?? assert.fail(exported.stderr)
    const dry = await ok('import', '--workspace', file, '--profile', 'new', '--dry-run')
    assert.equal(dry.stderr, `✓ ${records} records can be imported, 0 refused.\n`)
    const { stderr } = await ok('import', '--workspace', file, '--profile', 'new')
    assert.equal(stderr, `✓ ${records} records imported, 0 refused.\n`)
  })

  it('is exported with tokens that can only read, and expire', async () => {
    const ok = await newProfiles()
    const bare = '{"ownerEmail": "wes@example.com", "type": "testing", "apiKeyName": "Bare"}'
    const { apiKey } = JSON.parse((await ok('call', 'api-keys.create', bare, '--profile', 'old')).stdout)
    await ok('export', '--workspace', '--profile', 'old')
    const token = JSON.parse((await ok('token', 'list', apiKey, '--json', '--profile', 'old')).stdout)
    assert.deepEqual([token.name, token.scopes], ['Moving in and out', ['read']])
    assert.ok(token.expiresAt - Date.now() / 1_000 <= 86_401)
  })

  it('is not exported with a token that may expire before the end', async () => {
    const ok = await newProfiles()
    const bare = '{"ownerEmail": "wes@example.com", "type": "testing", "apiKeyName": "Bare"}'
    const { apiKey } = JSON.parse((await ok('call', 'api-keys.create', bare, '--profile', 'old')).stdout)
    await ok('token', 'create', 'soon', apiKey, '--scope', 'read', '--expires', '1h', '--profile', 'old')
    for (let round = 0; round < 2; round++) await ok('export', '--workspace', '--profile', 'old')
    const tokens = (await ok('token', 'list', apiKey, '--json', '--profile', 'old')).stdout.trim().split('\n')
    assert.deepEqual(
      tokens.map((line) => JSON.parse(line).name),
      ['soon', 'Moving in and out'],
    )
  })
})
