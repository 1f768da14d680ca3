/** The commands for threads of comments and for inboxes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { newKeyWithDocuments, organizationId } from '#testing/threads.ts'

const server = await sharedServer()
const key = await newKeyWithDocuments(server)
await key.call(updateNotificationConfig, { useNotificationService: true })
const member = { type: 'organization' as const, id: organizationId }
await key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [member] } })
const environment = environmentOf(server.url, { apiKey: key })
const cli = (...args: string[]) => cliInProcess([...args, '--org', organizationId], environment)
const ON = ['--doc', 'roadmap']

describe('commonhold threads', () => {
  it('adds, lists, shows, answers, resolves, opens, exports and deletes a thread, and shows who is notified', async () => {
    const asked = ['ada', 'Is this right, {{bob}}?', ...ON, '--id', 'pricing', '--mention', 'bob', '--notify']
    assert.match((await cli('threads', 'add', ...asked)).stdout, /✓ pricing/)
    assert.match((await cli('threads', 'list', '--text', 'is THIS')).stdout, /pricing/)
    const found = (await cli('search', 'this', '--kind', 'thread')).stdout
    assert.match(found, /^thread +pricing +.* roadmap/m)
    for (const filter of [
      ['--text', 'unsaid'],
      ['--assignee', 'ada'],
      ['--priority', 'P1'],
    ])
      assert.doesNotMatch((await cli('threads', 'list', ...filter)).stdout, /pricing/)
    const listed = await cli('threads', 'list', '--status', 'OPEN')
    assert.match(listed.stdout, /THREAD +DOCUMENT +STATUS +AUTHOR +COMMENTS +UPDATED +TEXT/)
    assert.match(listed.stdout, /pricing +roadmap +Open +ada +1 +\S+Z +Is this right, @bob\?/)
    assert.match(
      (await cli('inbox', 'bob')).stdout,
      /true +roadmap +pricing +ada started a thread +Is this right, @bob\?/,
    )
    assert.match((await cli('threads', 'reply', 'pricing', 'bob', 'Yes.', ...ON)).stdout, /^Added comment #\d{6}\./)

    const html = { from: { userId: 'bob' }, commentHtml: '<b>Yes</b>' }
    await key.call(addComments, { organizationId, documentId: 'roadmap', annotationId: 'pricing', commentData: [html] })
    const shown = await cli('threads', 'show', 'pricing')
    assert.match(
      shown.stdout,
      /^pricing on roadmap: Open\n\nada {2}.*\n {2}Is this right, @bob\?\n\nbob {2}.*\n {2}Yes\.\n\nbob {2}.*\n {2}\(No text: --json/,
    )
    await cli('threads', 'resolve', 'pricing', '--by', 'ada', ...ON)
    const [resolved] = JSON.parse((await cli('threads', 'show', 'pricing', '--json')).stdout)
    assert.deepEqual(
      [resolved.status.type, resolved.resolvedByUserId, resolved.statusUpdatedByUserId],
      ['terminal', 'ada', 'ada'],
    )
    await cli('threads', 'reopen', 'pricing', '--by', 'bob', ...ON)
    const [open] = JSON.parse((await cli('threads', 'show', 'pricing', '--json')).stdout)
    assert.deepEqual([open.status.id, open.resolvedByUserId, open.statusUpdatedByUserId], ['OPEN', undefined, 'bob'])

    const mails = await cli('threads', 'mails', 'pricing', ...ON)
    assert.match(mails.stderr + mails.stdout, /The e-mail service of the API key is off/)
    const off = { service: 'off', delayed: [] }
    assert.deepEqual(JSON.parse((await cli('threads', 'mails', '--user', 'bob', '--json')).stdout), off)

    const file = path.join(temporaryFolder(), 'threads.ndjson')
    assert.match((await cli('threads', 'export', file)).stderr, /1 threads/)
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).comments.length, 3)
    assert.equal((await cli('threads', 'export')).stdout, readFileSync(file, 'utf8'))

    const unconfirmed = await cli('threads', 'delete', 'pricing', ...ON)
    assert.match(unconfirmed.stderr, /add --yes/)
    assert.equal((await cli('threads', 'delete', 'pricing', ...ON, '--yes')).code, 0)
    assert.doesNotMatch((await cli('inbox', 'bob')).stdout, /pricing/)
  })

  it('says what to do when there is no such thread, document or author', async () => {
    const unknown = await cli('threads', 'show', 'nowhere')
    assert.deepEqual([unknown.code, /commonhold threads list/.test(unknown.stdout)], [1, true])
    const resolved = await cli('threads', 'resolve', 'nowhere', ...ON)
    assert.deepEqual([resolved.code, /There is no such thread/.test(resolved.stdout + resolved.stderr)], [5, true])
    const elsewhere = await cli('threads', 'add', 'ada', 'Hello', '--doc', 'nowhere')
    assert.deepEqual([elsewhere.code, /document does not exist/i.test(elsewhere.stderr)], [5, true])
    const nobody = await cli('threads', 'add')
    assert.deepEqual([nobody.code, /user|--doc/.test(nobody.stderr)], [2, true], nobody.stderr)
  })
})
