/** SpiceDB in the comparison with other systems, through its HTTP interface. */
import { execFileSync } from 'node:child_process'
import { freePort } from '#testing/processes/free-port.ts'
import { startProgram } from '../support/server.ts'
import { documentId, type Relation, relationsOf, viewerOf } from './relations.ts'
import { inParts, post, type System, versionOf } from './system.ts'
import { type Question, userName } from './world.ts'

const inside = (type: string, parents: string) => `
definition ${type} {
  relation parent: ${parents}
  relation viewer: user
  relation editor: user
  permission edit = editor + parent->edit
  permission view = viewer + editor + parent->view
}`
const SCHEMA = `
definition user {}
definition organization {
  relation viewer: user
  relation editor: user
  permission edit = editor
  permission view = viewer + editor
}${inside('folder', 'folder | organization')}${inside('document', 'folder')}`

const objectOf = ({ type, id }: { type: string; id: string }) => ({ objectType: type, objectId: id })
const userOf = (id: string) => ({ object: objectOf({ type: 'user', id }) })
const updateOf = ({ object, relation, subject }: Relation) => ({
  operation: 'OPERATION_TOUCH',
  relationship: { resource: objectOf(object), relation, subject: { object: objectOf(subject) } },
})
const itemOf = ({ organization, user, document }: Question) => ({
  resource: objectOf({ type: 'document', id: documentId({ organization, document }) }),
  permission: 'view',
  subject: userOf(userName(organization, user)),
})
const isPermitted = ({ permissionship }: { permissionship?: string } = {}) =>
  permissionship === 'PERMISSIONSHIP_HAS_PERMISSION'

const TOKEN = 'peers'

/** Returns SpiceDB twice: with answers from the latest state, and with its default, a snapshot that can be some seconds old. */
export async function startSpiceDb(binary: string, databaseUrl: string): Promise<System[]> {
  const port = await freePort()
  const store = ['--datastore-engine', 'postgres', '--datastore-conn-uri', databaseUrl]
  execFileSync(binary, ['datastore', 'migrate', 'head', '--skip-release-check', ...store], { stdio: 'ignore' })
  const options = {
    'grpc-preshared-key': TOKEN,
    'grpc-addr': `127.0.0.1:${await freePort()}`,
    'http-enabled': 'true',
    'http-addr': `127.0.0.1:${port}`,
    'metrics-enabled': 'false',
    'telemetry-endpoint': '',
    'log-level': 'error',
    'skip-release-check': 'true',
  }
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const server = await startProgram(binary, ['serve', ...store, ...flags], {}, port)
  const headers = { authorization: `Bearer ${TOKEN}` }
  await post({ server, headers }, { path: '/v1/schema/write', body: JSON.stringify({ schema: SCHEMA }) })
  const write = (relations: readonly Relation[]) => ({
    path: '/v1/relationships/write',
    body: JSON.stringify({ updates: relations.map(updateOf) }),
  })
  const withConsistency = (name: string, answers: string, consistency: object): System => ({
    name,
    settings: `defaults, no metrics; ${answers}; HTTP`,
    server,
    headers,
    load: (world, organization) => inParts(relationsOf(world, organization)).map(write),
    check: (question) => ({
      path: '/v1/permissions/check',
      body: JSON.stringify({ consistency, ...itemOf(question) }),
    }),
    checks: (questions) => ({
      path: '/v1/permissions/checkbulk',
      body: JSON.stringify({ consistency, items: questions.map(itemOf) }),
    }),
    list: ({ organization, user }) => ({
      path: '/v1/permissions/resources',
      body: JSON.stringify({
        consistency,
        resourceObjectType: 'document',
        permission: 'view',
        subject: userOf(userName(organization, user)),
      }),
    }),
    grant: (user, documents) => write(documents.map((document) => viewerOf(user, document))),
    isAllowed: (text) => isPermitted(JSON.parse(text)),
    areAllowed: (text) => JSON.parse(text).pairs.map(({ item }: { item?: object }) => isPermitted(item)),
    listed: (text) => text.split('\n').filter((line) => line.includes('resourceObjectId')).length,
  })
  const name = `SpiceDB ${versionOf(binary)}`
  return [
    withConsistency(name, 'answers from the latest state (`fully_consistent`)', { fullyConsistent: true }),
    withConsistency(`${name}, minimize_latency`, 'answers from a snapshot, its default', { minimizeLatency: true }),
  ]
}
