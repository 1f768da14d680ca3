/** `events export`: all matching events as CSV or lines of JSON, with a sentence each. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { cli, environmentOf } from '#testing/processes/cli.ts'
import { sharedServer } from '#testing/server.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()

describe('events export', () => {
  it('writes the sentence and the raw fields of each event, and no cell that a spreadsheet runs', async () => {
    const callers = await newCallers(server.url)
    const environment = environmentOf(server.url, callers)
    const organizationId = 'acme'
    await callers.apiKey.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
    const documents = [{ documentId: 'budget', documentName: '=cmd()' }]
    await callers.apiKey.call(addDocuments, { organizationId, documents })
    const filters = ['--org', organizationId, '--order', 'oldestFirst']
    const csv = await cli(['events', 'export', '--csv', ...filters], environment)
    assert.equal(csv.code, 0, csv.stderr)
    const [head, ...rows] = csv.stdout.trimEnd().split('\r\n')
    assert.match(head ?? '', /^time,sentence,type,organizationId,organizationName,/)
    assert.match(
      rows[0] ?? '',
      /The token Default Auth Token added the organization Acme\.,organization\.added,acme,Acme,/,
    )
    assert.match(
      rows[1] ?? '',
      /added the document =cmd\(\) to the top of Acme\.,document\.added,acme,Acme,document,budget,'=cmd\(\),/,
    )
    assert.equal(rows.length, 2)
    const lines = await cli(['events', 'export', '--type', 'document.*', ...filters], environment)
    const [event] = lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.match(event.sentence, /added the document =cmd\(\)/)
    assert.deepEqual([event.type, event.resource], ['document.added', { type: 'document', id: 'budget' }])
    const both = await cli(['events', 'export', '--csv', '--json'], environment)
    assert.match(both.stderr, /--csv and --json exclude each other/)
  })
})
