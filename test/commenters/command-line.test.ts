/** The role `commenter` on the command line, and for assistants (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { type Environment, environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { exitCode } from '../../cli/exit-codes.ts'
import { startAssistant } from '../cli/support/mcp.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()
let environment: Environment
let key: Client
const cli = (...args: string[]) => cliInProcess(args, environment)

beforeAll(async () => {
  const callers = await newCallers(server.url)
  environment = environmentOf(server.url, callers)
  key = callers.apiKey
  const documents = [{ documentId: 'roadmap', accessType: 'restricted' as const }]
  await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents })
})

const THREE = ['viewer', 'commenter', 'editor']

describe('the command line', () => {
  it('gives a key the role, grants it, and shows it in every answer about access', async () => {
    const refused = await cli('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme', '--role', 'commenter')
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /--role must be one of "viewer", "editor"/)
    const set = await cli('settings', 'set', '--roles', ...THREE, '--json')
    assert.deepEqual(JSON.parse(set.stdout), { accessRoles: THREE })
    assert.equal((await cli('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme', '--role', 'commenter')).code, 0)
    const check = (role: string) => cli('check', 'ada', 'document:roadmap', '--org', 'acme', '--at-least', role)
    assert.match((await check('commenter')).stdout, /allowed as commenter/)
    assert.equal((await check('editor')).code, exitCode('no'))
    const matrix = await cli('access', 'matrix', 'organization:acme', '--at-least', 'commenter')
    assert.match(matrix.stdout, /user:ada +document:roadmap +commenter/)
    assert.match((await cli('explain', 'ada', 'document:roadmap', '--org', 'acme')).stdout, /may comment on document/)
  })

  it('reports why the role cannot be dropped', async () => {
    const { code, stderr } = await cli('settings', 'set', '--roles', 'viewer', 'editor')
    assert.notEqual(code, 0)
    assert.match(stderr, /accessRoles must have "commenter" while it is in use: by 1 grant\./)
  })

  it('creates keys with the role', async () => {
    const created = await cli(
      'key',
      'create',
      'testing',
      'a@example.com',
      '--access',
      'restricted',
      '--roles',
      ...THREE,
    )
    assert.equal(created.code, 0, created.stderr)
  })

  it('imports rows of commenters from CSV', async () => {
    const file = path.join(temporaryFolder(), 'grants.csv')
    writeFileSync(file, 'type,id,organizationId,userId,accessRole\ndocument,roadmap,acme,cleo,commenter\n')
    const imported = await cli('import', file, '--csv', 'grants')
    assert.equal(imported.code, 0, imported.stderr)
    assert.match((await cli('access', 'users', 'document:roadmap', '--org', 'acme')).stdout, /cleo +commenter/)
  })
})

describe('an assistant', () => {
  it('checks, previews and gives the role', async () => {
    const { data } = await startAssistant(environmentOf(server.url, { apiKey: key }), ['--allow-changes'])
    const resource = { type: 'document', id: 'roadmap', organizationId: 'acme' }
    const { checks } = await data('check_access', { checks: [{ userId: 'ada', resource, atLeast: 'commenter' }] })
    assert.deepEqual([checks[0].allowed, checks[0].accessRole], [true, 'commenter'])
    const add = [{ userId: 'lin', resource: { type: 'document', id: 'roadmap' }, accessRole: 'commenter' }]
    const { groups } = await data('preview_change', { organizationId: 'acme', add })
    assert.deepEqual(
      groups.map(({ effect, accessRole }: { effect: string; accessRole: string }) => [effect, accessRole]),
      [['gained', 'commenter']],
    )
  })
})
