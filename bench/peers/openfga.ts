/** OpenFGA in the comparison with other systems, through its HTTP interface. */
import { execFileSync } from 'node:child_process'
import { freePort } from '#testing/processes/free-port.ts'
import { startProgram } from '../support/server.ts'
import { documentId, type Relation, relationsOf, viewerOf } from './relations.ts'
import { inParts, post, type System, versionOf } from './system.ts'
import { type Question, userName } from './world.ts'

const direct = { this: {} }
const computed = (relation: string) => ({ computedUserset: { relation } })
const inherited = (relation: string) => ({
  tupleToUserset: { tupleset: { relation: 'parent' }, computedUserset: { relation } },
})
const union = (...child: object[]) => ({ union: { child } })
const holders = (...types: string[]) => ({ directly_related_user_types: types.map((type) => ({ type })) })

const inside = (type: string, parents: string[]) => ({
  type,
  relations: {
    parent: direct,
    viewer: direct,
    editor: direct,
    view: union(computed('viewer'), computed('editor'), inherited('view')),
    edit: union(computed('editor'), inherited('edit')),
  },
  metadata: { relations: { parent: holders(...parents), viewer: holders('user'), editor: holders('user') } },
})
const MODEL = {
  schema_version: '1.1',
  type_definitions: [
    { type: 'user' },
    {
      type: 'organization',
      relations: {
        viewer: direct,
        editor: direct,
        view: union(computed('viewer'), computed('editor')),
        edit: computed('editor'),
      },
      metadata: { relations: { viewer: holders('user'), editor: holders('user') } },
    },
    inside('folder', ['folder', 'organization']),
    inside('document', ['folder']),
  ],
}

const tupleOf = ({ object, relation, subject }: Relation) => ({
  user: `${subject.type}:${subject.id}`,
  relation,
  object: `${object.type}:${object.id}`,
})
const keyOf = ({ organization, user, document }: Question) => ({
  user: `user:${userName(organization, user)}`,
  relation: 'view',
  object: `document:${documentId({ organization, document })}`,
})

export async function startOpenFga(binary: string, databaseUrl: string): Promise<System> {
  const port = await freePort()
  const settings = {
    OPENFGA_DATASTORE_ENGINE: 'postgres',
    OPENFGA_DATASTORE_URI: databaseUrl,
    OPENFGA_HTTP_ADDR: `127.0.0.1:${port}`,
    OPENFGA_GRPC_ADDR: `127.0.0.1:${await freePort()}`,
    OPENFGA_PLAYGROUND_ENABLED: 'false',
    OPENFGA_METRICS_ENABLED: 'false',
    OPENFGA_LOG_LEVEL: 'error',
    // On a busy machine, its deadlines of three seconds would end calls, and cut lists short without saying so.
    OPENFGA_REQUEST_TIMEOUT: '30s',
    OPENFGA_HTTP_UPSTREAM_TIMEOUT: '30s',
    OPENFGA_LIST_OBJECTS_DEADLINE: '30s',
  }
  execFileSync(binary, ['migrate'], { env: { ...process.env, ...settings }, stdio: 'ignore' })
  const server = await startProgram(binary, ['run'], settings, port)
  const headers = {}
  const create = async (path: string, data: object) =>
    JSON.parse(await post({ server, headers }, { path, body: JSON.stringify(data) }))
  const { id: store } = await create('/stores', { name: 'peers' })
  const { authorization_model_id } = await create(`/stores/${store}/authorization-models`, MODEL)
  const call = (what: string, data: object) => ({
    path: `/stores/${store}/${what}`,
    body: JSON.stringify({ ...data, authorization_model_id }),
  })
  const write = (relations: readonly Relation[]) => call('write', { writes: { tuple_keys: relations.map(tupleOf) } })
  return {
    name: `OpenFGA ${versionOf(binary)}`,
    settings:
      'defaults but for deadlines of 30 s, no cache, no authentication, no metrics; answers from the latest state; HTTP',
    server,
    headers,
    load: (world, organization) => inParts(relationsOf(world, organization)).map(write),
    check: (question) => call('check', { tuple_key: keyOf(question) }),
    checks: (questions) =>
      call('batch-check', {
        checks: questions.map((question, nth) => ({ tuple_key: keyOf(question), correlation_id: String(nth) })),
      }),
    list: ({ organization, user }) =>
      call('list-objects', { type: 'document', relation: 'view', user: `user:${userName(organization, user)}` }),
    grant: (user, documents) => write(documents.map((document) => viewerOf(user, document))),
    isAllowed: (text) => JSON.parse(text).allowed === true,
    areAllowed: (text, count) => {
      const { result } = JSON.parse(text)
      return Array.from({ length: count }, (_, nth) => result[nth]?.allowed === true)
    },
    listed: (text) => JSON.parse(text).objects.length,
  }
}
