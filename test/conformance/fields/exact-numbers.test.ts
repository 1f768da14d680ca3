/** Integers that a double cannot represent are refused with their field, in every JSON input (rules/contract.md#numbers). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments, getDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { newCallers } from '../support/callers.ts'

const server = await sharedServer()
const key = await server.newKey()
const organizationId = 'acme'
await key.call(addOrganizations, { organizations: [{ organizationId }] })
await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })

const CHANGED = [
  ...['9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807', '18446744073709551616'],
  ...['9007199254740993.0', '9.007199254740993e15', '900719925474099300E-2', '1e16', '10e+19', '100000000000000000000'],
  ...[
    '1000000000000000000001',
    '1267650600228229401496703205376',
    '12345678901234567890123456789',
    `1${'0'.repeat(30)}1`,
  ],
]
/** Sent numbers, and the numbers that are returned. */
const KEPT: Readonly<Record<string, number>> = {
  '9007199254740991': 9007199254740991,
  '-9007199254740991': -9007199254740991,
  '90071992547409910e-1': 9007199254740991,
  '6.02214076e23': 6.02214076e23,
  '1e21': 1e21,
  '1.7976931348623157e308': Number.MAX_VALUE,
  '0.1234567890123456789': 0.12345678901234568,
  '-0.30000000000000004': -0.30000000000000004,
}
const MUST = 'must not be an integer beyond 9007199254740991, which programs do not keep exactly; write it as a string'

/** Bodies over 64 KB are parsed by another parser. */
const PADDING = {
  small: '',
  large: `,{"documentId":"padding","text":"${'x'.repeat(60_000)}"},{"documentId":"more","text":"${'x'.repeat(9_000)}"}`,
}

const documentWith = (documentId: string, number: string, padding: string) =>
  `{"data":{"organizationId":"acme","documents":[{"documentId":"${documentId}","metadata":{"list":[{"n":${number}}]}}${padding}]}}`

describe('an integer that JSON does not represent exactly', () => {
  for (const [size, padding] of Object.entries(PADDING)) {
    it(`is refused with its field in a ${size} body, and nothing is stored`, async () => {
      for (const number of CHANGED) {
        // Callers may begin a body with a byte order mark.
        const { http, body } = await key.raw(addDocuments.path, `\ufeff${documentWith('changed', number, padding)}`)
        assert.equal(http, 400, number)
        assert.equal(body.error.message, `documents[0].metadata.list[0].n ${MUST}`, number)
      }
      assert.match((await key.post(getDocuments.path, { organizationId, documentIds: ['changed'] })).text, /not-found/)
    })

    it(`is distinguished from other numbers, which are returned unchanged in a ${size} body`, async () => {
      for (const [nth, [number, value]] of Object.entries(KEPT).entries()) {
        const documentId = `${size} ${nth}`
        const { http, text } = await key.raw(addDocuments.path, documentWith(documentId, number, padding))
        assert.equal(http, 200, `${number}: ${text}`)
        const found: object = await key.call(getDocuments, { organizationId, documentIds: [documentId] })
        assert.ok(JSON.stringify(found).includes(`"list":[{"n":${value}}]`), `${number}: ${JSON.stringify(found)}`)
      }
    })
  }

  it('is refused in updates and filters', async () => {
    const big = '9007199254740993'
    const bodies = {
      [updateDocuments.path]: `{"data":{"organizationId":"acme","documents":[{"documentId":"x","metadata":{"n":${big}}}]}}`,
      [getDocuments.path]: `{"data":{"organizationId":"acme","filters":[{"field":"n","operator":"=","value":${big}}]}}`,
    }
    for (const [call, body] of Object.entries(bodies)) {
      const { http, text } = await key.raw(call, body)
      assert.equal(http, 400, text)
      assert.match(text, /must not be an integer beyond 9007199254740991/, call)
    }
  })

  it('is refused with the bounds of a field that takes numbers alone, and not with the advice to write a text', async () => {
    const cases = [
      [listEvents.path, '{"from":9007199254740993}', 'from must not be more than 253402300799999'],
      [listEvents.path, '{"to":-9007199254740993}', 'to must not be less than 0'],
      [
        '/v2/auth/permissions/add',
        '{"user":{"userId":"ada"},"permissions":{"resources":[{"type":"organization","id":"acme","expiresAt":1e18}]}}',
        'permissions.resources[0].expiresAt must be in seconds; this value looks like milliseconds',
      ],
    ] as const
    for (const [call, data, message] of cases) {
      const { body } = await key.raw(call, `{"data":${data}}`)
      assert.deepEqual(
        body.error.details.map((fault: { message: string }) => fault.message),
        [message],
      )
    }
  })

  it('is refused by the command line, before anything is sent', async () => {
    const environment = environmentOf(server.url, await newCallers(server.url))
    const file = path.join(temporaryFolder(), 'records.ndjson')
    for (const number of ['9007199254740993', '1267650600228229401496703205376']) {
      const call = await cliInProcess(['call', 'users.get', `{"n":${number}}`], environment)
      assert.equal(call.code, 2, call.stdout + call.stderr)
      assert.match(call.stderr, new RegExp(`it has the number ${number}`))
      writeFileSync(
        file,
        `{"record":"export","format":1,"of":"apiKey"}\n{"record":"organization","organizationId":"big","metadata":{"n":${number}}}\n{"record":"end","records":1}\n`,
      )
      const imported = await cliInProcess(['import', file], environment)
      assert.notEqual(imported.code, 0, imported.stdout)
      assert.match(imported.stdout + imported.stderr, /1 .*refused/)
    }
  })
})
