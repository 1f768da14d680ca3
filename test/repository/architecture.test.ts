/** The rules of ARCHITECTURE.md that no single file shows: imports, writers of tables, names. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { exportedStatements } from '../../scripts/golden.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
const isTest = (file: string): boolean => file.endsWith('.test.ts')

const SOURCES = files('{contract,server}/**/*.ts').filter((file) => !isTest(file))
/** The client is built alone: it imports nothing, and its generated files may be long. */
const CLIENT = files('sdk/*.ts')
const CONSOLE = files('console/{*.ts,src/**/*.{ts,tsx}}')
const ALL = [...files('{cli,contract,server,test,scripts,bench}/**/*.ts'), ...CLIENT, ...CONSOLE]

const KERNEL = 'server/kernel.ts'

/** Returns the room of a file: `server/features/resources/folders/routes.ts` → `features/resources/folders`. Files directly in `server` are `app`, except `kernel.ts`. */
function roomOf(file: string): string {
  const [top, room = '', ...rest] = path.posix.dirname(file).split('/')
  if (top !== 'server') return top ?? ''
  if (file === KERNEL) return 'kernel'
  return room === '' ? 'app' : room === 'features' ? ['features', ...rest].join('/') : room
}

/** What each room, or kind of room, may import: rooms, only the types of `type:` rooms, and packages. `FEATURE_PAIRS` lists imports between features. Each may import itself and, except the client and the console, Node. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: ['typebox', 'fastest-levenshtein'],
  platform: ['type:contract', 'pg', 'pino', '@electric-sql/pglite', 'undici', 'ipaddr.js'],
  tenancy: ['platform', 'contract'],
  http: [
    ...['platform', 'contract', 'type:tenancy'],
    ...['fastify', '@fastify/swagger', '@scalar/fastify-api-reference', 'rate-limiter-flexible', 'typebox'],
  ],
  features: [
    ...['type:kernel', 'tenancy', 'platform', 'contract', 'type:http', 'type:fastify'],
    ...['jose', 'disposable-email-domains-js', 'nodemailer'],
  ],
  // These serve calls outside the contract.
  'features/authzen': ['http', 'typebox'],
  'features/console': ['http', 'typebox', '@fastify/cookie', '@fastify/static'],
  'features/system': ['http'],
  kernel: ['app', 'type:http', 'platform'],
  app: [
    ...['kernel', 'features', 'http', 'tenancy', 'platform', 'contract', 'type:fastify', 'prom-client'],
    ...['@opentelemetry/api', '@opentelemetry/core', '@opentelemetry/exporter-trace-otlp-http'],
    ...['@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  ],
  sdk: [],
  cli: [
    'sdk',
    'contract',
    'commander',
    '@clack/prompts',
    '@bomb.sh/tab',
    'fast-string-width',
    'fastest-levenshtein',
    'typebox',
    'csv-parse',
  ],
  console: [
    ...['sdk', 'type:contract', 'react', 'react-dom', 'vite', '@vitejs/plugin-react', 'dayjs', 'recharts'],
    ...['@mantine/core', '@mantine/hooks', '@mantine/form', '@mantine/notifications', '@mantine/charts'],
    ...['@mantine/dates', '@tabler/icons-react'],
    ...['@tanstack/react-query', '@tanstack/react-router', '@tanstack/react-virtual'],
  ],
}

const IMPORT = /^(?:import|export(?=\s+(?:type\s+)?[{*]))\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm
const ALIAS = /^#(contract|sdk|platform|http|tenancy|features)\//

/** Returns the imports of a file: our files by path, packages by name. */
const importsOf = (file: string): { specifier: string; target: string; isType: boolean }[] =>
  [...read(file).matchAll(IMPORT)].map(([, type, specifier = '']) => ({
    specifier,
    isType: type !== undefined,
    target:
      specifier === '#kernel'
        ? KERNEL
        : ALIAS.test(specifier)
          ? specifier.replace(ALIAS, (_, name) => (['contract', 'sdk'].includes(name) ? `${name}/` : `server/${name}/`))
          : specifier.startsWith('.')
            ? path.posix.join(path.posix.dirname(file), specifier)
            : specifier.replace(/^(@[^/]+\/[^/]+|[^@/][^/]*).*$/, '$1'),
  }))

const isOurs = (target: string): boolean => /^(?:server|contract|sdk|cli|console)\//.test(target)

function forbiddenImports(file: string): string[] {
  const room = roomOf(file)
  const [kind = ''] = room.split('/')
  const allowed = [...(MAY_IMPORT[kind] ?? []), ...(kind === room ? [] : (MAY_IMPORT[room] ?? []))]
  return importsOf(file).flatMap(({ specifier, target: path, isType }) => {
    if (specifier.startsWith('node:') && (!['sdk', 'console'].includes(room) || file === 'sdk/testing.ts')) return []
    const target = isOurs(path) ? roomOf(path) : path
    if (target === room) return []
    const name = target.split('/')[0] === 'features' ? 'features' : target
    if (kind === 'features' && name === 'features' && path.endsWith('/shared.ts')) return []
    const fine = allowed.includes(name) || (isType && allowed.includes(`type:${name}`))
    return fine ? [] : [`${file} (${room}) imports ${isType ? 'type ' : ''}${specifier}`]
  })
}

/** `a → b`: the feature `a` uses what `b` declares in its `shared.ts`. */
const FEATURE_PAIRS: Record<string, string> = {
  'api-keys → domains': 'a key is created with its allowed domains, which are normalized alike',
  'api-keys → signing-keys': 'a key is created with its signing key',
  'api-keys → webhooks': 'a key is created with its basic webhook URLs',
  'authzen → permissions': 'its decisions are those of permissions.check',
  'console → auth-tokens': 'somebody signs in with an API key and its auth token',
  'console → workspaces': 'or with a workspace and its token',
  'service-configs → webhooks': 'the basic webhook URLs are settings of the API key',
  'user-tokens → domains': 'a user token counts on pages of the allowed domains alone',
  'user-tokens → permissions': 'a sign-in may grant roles, in its transaction',
  'user-tokens → signing-keys': 'the key that signs now',
  'user-tokens → users': 'a sign-in stores the profile, in its transaction',
  'users → permissions': 'users.add grants roles, in its transaction',
  'webhooks → events': 'a replay finds the events of a time as events.list does',
  'workspaces → api-keys': 'a workspace is created with its first API key, in its transaction',
}

function featurePairs(): Set<string> {
  const found = SOURCES.filter((file) => file.startsWith('server/features/')).flatMap((file) =>
    importsOf(file).flatMap(({ target }) => {
      const [from, to] = [roomOf(file), roomOf(target)]
      return to.startsWith('features/') && to !== from ? [`${from} → ${to}`.replaceAll('features/', '')] : []
    }),
  )
  return new Set(found)
}

/** Returns a cycle of the graph, if it has one. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle !== undefined) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle !== undefined) return circle
  }
  return undefined
}

const DDL = files('db/migrations/*.sql').map(read).join('\n')
const TABLES = [...DDL.matchAll(/^create table (\w+) \(\n(.*?)^\)/gms)].map(([, name = '', body = '']) => ({
  name,
  body,
}))
const OF_AN_ORGANIZATION = TABLES.filter(({ body }) => /^ *organization_key /m.test(body)).map(({ name }) => name)

const OWNERS: Record<string, string> = {
  workspaces: 'features/workspaces',
  api_keys: 'features/api-keys',
  auth_tokens: 'features/auth-tokens',
  signing_keys: 'features/signing-keys',
  users: 'features/users',
  user_groups: 'features/user-groups',
  user_group_members: 'features/user-groups',
  organizations: 'features/resources/organizations',
  resources: 'features/resources',
  document_aliases: 'features/resources/documents',
  grants: 'features/permissions',
  document_migrations: 'features/migrations',
  user_data_deletions: 'features/user-data',
  events: 'tenancy',
  event_streams: 'tenancy',
  event_followers: 'tenancy',
  idempotency_keys: 'features/idempotency-keys',
  console_sessions: 'features/console',
  mails: 'features/mail',
  webhook_settings: 'features/webhooks',
  webhook_endpoints: 'features/webhooks',
  webhook_deliveries: 'features/webhooks',
  webhook_attempts: 'features/webhooks',
  installation: 'app',
}

const OTHER_WRITERS: Record<string, string> = {
  'tenancy → organizations': 'it locks them, creating the row to lock, and counts their events',
  'tenancy → resources': 'an organization is opened together with its own resource',
  'features/api-keys → auth_tokens': 'a key is born with its auth token',
  'features/api-keys → signing_keys': 'a key is born with its signing key',
  'features/api-keys → users': 'a key is deleted with its users',
  'features/api-keys → document_migrations': 'a key is deleted with everything in its organizations',
  'features/api-keys → user_data_deletions': 'a key is deleted with the jobs that erase its users',
  'features/api-keys → mails': 'a key is deleted with the mails of its users',
  'features/api-keys → user_groups': 'a key is deleted with everything in its organizations',
  'features/api-keys → user_group_members': 'a key is deleted with everything in its organizations',
  'features/api-keys → grants': 'a key is deleted with everything in its organizations',
  'features/api-keys → document_aliases': 'a key is deleted with everything in its organizations',
  'features/api-keys → resources': 'a key is deleted with everything in its organizations',
  'features/api-keys → organizations': 'a key is deleted with its organizations',
  'features/key-config → api_keys': 'it changes settings of the key',
  'features/service-configs → api_keys': 'it changes settings of the key',
  'features/domains → api_keys': 'it changes settings of the key',
  'features/permissions → resources': 'a grant declares the folder or document that it is the first to mention',
  'features/migrations → resources': 'a migration renames a document',
  'features/migrations → grants': 'a migration moves the grants of a declared target',
  'features/migrations → document_aliases': 'a migration leaves an alias behind',
  'features/user-tokens → users': 'revoking the tokens of a user moves on the moment that they carry',
  'features/users → grants': 'users.update sets roles of grants that are there, users.delete takes them away',
  'features/users → user_group_members': 'users.delete takes users out of the groups',
  'features/user-data → grants': 'erasing users takes away their grants',
  'features/user-data → user_group_members': 'and takes them out of the groups',
  'features/user-data → users': 'erasing users deletes their profiles',
  'features/events → events': 'old ones are removed there',
  'features/user-data → mails': 'erasing users removes the mails to them',
  'features/user-data → events': 'erasing users removes their names from events',
  'features/resources/organizations → grants': 'an organization is deleted with everything inside',
  'features/resources/organizations → document_migrations': 'an organization is deleted with everything inside',
  'features/resources/organizations → user_groups': 'an organization is deleted with everything inside',
}

/** Returns `room → table` for each table that a room other than its owner writes. Deletions are also generated from a list. */
function foreignWrites(): Set<string> {
  const written = [
    ...SOURCES.map((file) => ({ file, writes: read(file).matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/g) })),
    ...statements.map(({ file, text }) => ({ file, writes: text.matchAll(/\bdelete from\s+(\w+)/g) })),
  ]
  const found = written.flatMap(({ file, writes }) =>
    [...writes].flatMap(([, table = '']) => {
      const owner = OWNERS[table]
      const room = roomOf(file)
      return owner === undefined || `${room}/`.startsWith(`${owner}/`) ? [] : [`${room} → ${table}`]
    }),
  )
  return new Set(found)
}

/** Statements on tables of an organization that cross organizations, each with its reason. */
const ACROSS_ORGANIZATIONS: Record<string, string> = {
  'organizations.list': 'lists the organizations of an API key, by an index that starts with the key',
  'overview.count': 'counts the resources of an API key, organization by organization, up to a limit',
  'overview.jobs': 'likewise',
  'api-keys.lock-organizations':
    'all organizations of an API key that is deleted, by an index that starts with the key',
  'api-keys.delete-document-migrations': 'likewise',
  'api-keys.delete-user-group-members': 'likewise',
  'api-keys.delete-user-groups': 'likewise',
  'api-keys.delete-grants': 'likewise',
  'api-keys.delete-document-aliases': 'likewise',
  'api-keys.delete-documents': 'likewise',
  'api-keys.delete-folders': 'likewise',
  'api-keys.delete-organizations': 'likewise',
  'user-data.count-organizations': 'the organizations of an erasure, by the index that starts with the key',
  'user-data.find-knowing': 'scans the organizations of a key, by the index that starts with the key',
  'user-data.find-named-knowing': 'the same for named ones',
  'document-migrations.claim': 'the jobs that are due, by their own partial index',
  'document-migrations.count': 'the same',
  'event-feed.rebase': 'at the first start after a restore: rewrites the events of all tenants',
  'permissions.lock-expiring': 'the sweep for grants that are about to expire, by its own partial index',
  'permissions.lock-expired': 'the sweep for grants that have expired, by its own partial index',
  'permissions.lock-long-expired': 'the same for those whose event is old',
}

const statements = await exportedStatements()

function namesItsOrganization({ text, ...statement }: (typeof statements)[number]): boolean {
  const { columns, requestColumns = [] } = statement as Partial<SetStatement<{ organizationKey: string }, unknown>>
  return columns === undefined
    ? /organization_key = \$\d/.test(text)
    : [...columns, ...requestColumns].includes('organizationKey')
}

const touches = (text: string, tables: readonly string[]): boolean =>
  tables.some((table) => new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`).test(text))

/** Returns the full names of tests, from the outermost `describe`, by indentation, which the formatter guarantees. */
function testNames(file: string): string[] {
  const open: { indent: number; name: string }[] = []
  return [...read(file).matchAll(/^( *)(describe|it|test)(?:\.\w+)?\((['"`])(.*?)\3/gm)].flatMap(
    ([, { length: indent } = '', kind, , name = '']) => {
      while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop()
      const full = [...open.map((outer) => outer.name), name].join(' › ')
      if (kind === 'describe') open.push({ indent, name })
      return kind === 'describe' || name.includes('${') ? [] : [full]
    },
  )
}

const repeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index)

async function operationConstants(): Promise<Map<string, string>> {
  const schemas = SOURCES.filter((file) => file.startsWith('contract/'))
  const modules = await Promise.all(schemas.map((file) => import(path.join(ROOT, file))))
  const exports = modules.flatMap((module) => Object.entries<{ path?: unknown }>(module))
  return new Map(
    exports.flatMap(([constant, value]): [string, string][] => {
      const isOperation = typeof value?.path === 'string' && 'credentials' in value && 'name' in value
      return isOperation ? [[String(value.name), constant]] : []
    }),
  )
}
const constants = await operationConstants()

const REFUSALS = new Map(
  [...read('server/tenancy/refusals.ts').matchAll(/const (\w+) = .*\n\s+new StatusError\('\w+', '(\w+)'/g)].map(
    ([, name = '', reason = '']) => [name, reason],
  ),
)

/** Returns the reasons that a text refuses with, written out or by the name of a shared refusal. */
function reasonsIn(text: string): string[] {
  const written = [
    ...text.matchAll(/new StatusError\(\s*'[A-Z_]+',\s*'(\w+)'/g),
    ...text.matchAll(/\binvalid\('(\w+)'/g),
    ...text.matchAll(/\binvalidArgument\([^;]*?\],?\s*'(\w+)',?\s*\)/g),
  ].map(([, reason = '']) => reason)
  return [...written, ...[...REFUSALS].flatMap(([name, reason]) => (text.includes(`${name}(`) ? [reason] : []))]
}
const inTests = files('{contract,server,test}/**/*.ts')
  .filter((file) => isTest(file) || file.startsWith('test/'))
  .map(read)
  .join('\n')

describe('architecture', () => {
  it('lets each room import only what it may', () => {
    assert.deepEqual([...SOURCES, ...files('{cli,sdk}/**/*.ts'), ...CONSOLE].flatMap(forbiddenImports), [])
  })

  it('lets one feature use another only as declared', () => {
    assert.deepEqual([...featurePairs()].sort(), Object.keys(FEATURE_PAIRS).sort())
  })

  it('has no import cycle of features or files', () => {
    const pairs = Object.keys(FEATURE_PAIRS).map((pair) => pair.split(' → '))
    const features = Map.groupBy(pairs, ([from = '']) => from)
    assert.equal(
      circleIn(new Map([...features].map(([from, uses]) => [from, uses.map(([, to = '']) => to)]))),
      undefined,
    )
    const imports = SOURCES.map((file) => [file, importsOf(file).map(({ target }) => target)] as const)
    assert.equal(circleIn(new Map(imports)), undefined)
  })

  it('has one entry point for every feature', () => {
    const folders = new Set(SOURCES.filter((file) => file.startsWith('server/features/')).map(roomOf))
    const without = [...folders].filter((room) => !SOURCES.includes(`server/${room}/feature.ts`))
    assert.deepEqual(without, [])
  })

  it('knows the owner of every table', () => {
    assert.deepEqual(TABLES.map(({ name }) => name).sort(), Object.keys(OWNERS).sort())
  })

  it('lets only the owner write a table, except where a reason is given', () => {
    assert.deepEqual([...foreignWrites()].sort(), Object.keys(OTHER_WRITERS).sort())
  })

  it('exports every statement, so that it is in the golden file and checked here', () => {
    const hidden = SOURCES.filter((file) => /^server\/(features|tenancy)/.test(file)).flatMap((file) =>
      [...read(file).matchAll(/^const (\w+) = (?:set)?statement\b/gim)].map(([, name]) => `${file}: ${name}`),
    )
    assert.deepEqual(hidden, [])
  })

  it('gives every statement a unique name', () => {
    assert.deepEqual(repeated(statements.map(({ name }) => name)), [])
  })

  it('names the organization in every statement on a table of an organization', () => {
    const across = statements.filter(
      (statement) => touches(statement.text, OF_AN_ORGANIZATION) && !namesItsOrganization(statement),
    )
    assert.deepEqual(across.map(({ name }) => name).sort(), Object.keys(ACROSS_ORGANIZATIONS).sort())
  })

  it('puts organization_key first in every key and index of a table of an organization', () => {
    const keys = TABLES.filter(({ name }) => OF_AN_ORGANIZATION.includes(name) && name !== 'organizations').flatMap(
      ({ name, body }) =>
        [...body.matchAll(/(?:primary key|unique|foreign key) \((\w+)/g)].map(([, first]) => `${name}: ${first}`),
    )
    assert.deepEqual(
      keys.filter((key) => !key.endsWith(': organization_key')),
      [],
    )
  })

  it('has HTTP codes only in the table of statuses and in http', () => {
    const found = SOURCES.filter((file) => roomOf(file) !== 'http' && file !== 'contract/status.ts').filter((file) =>
      /\b(?:code|status|statusCode|http)\W{1,3}[2345]\d\d\b/i.test(read(file)),
    )
    assert.deepEqual(found, [])
  })

  it('keeps files short: 400 lines, tests 600', () => {
    const long = ALL.filter((file) => read(file).split('\n').length - 1 > (isTest(file) ? 600 : 400))
    assert.deepEqual(long, [])
  })

  it('begins every file with a sentence about it', () => {
    const silent = [
      ...ALL.filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(read(file))),
      ...files('db/migrations/*.sql').filter((file) => !read(file).startsWith('-- ')),
    ]
    assert.deepEqual(silent, [])
  })

  it('lists every operation of the contract', () => {
    assert.deepEqual(OPERATIONS.map(({ name }) => name).sort(), [...constants.keys()].sort())
  })

  it('has a route for every operation', () => {
    const routes = files('server/features/**/routes.ts').map(read).join('\n')
    const without = [...constants].filter(([, constant]) => !new RegExp(`\\.with\\w+\\(${constant},`).test(routes))
    assert.deepEqual(without, [])
  })

  it('describes every reason in docs/reference/errors.md', () => {
    const used = new Set([
      ...SOURCES.flatMap((file) => reasonsIn(read(file))),
      ...OPERATIONS.flatMap(({ reasons = [] }) => reasons),
      'invalid_argument',
    ])
    const described = [...Object.keys(COMMON_REASONS), ...Object.keys(OPERATION_REASONS)]
    assert.deepEqual([...used].sort(), described.sort())
  })

  it('declares in the contract every reason that a feature refuses with', () => {
    const undeclared = files('server/features/**/routes.ts').flatMap((routes) => {
      const folder = path.posix.dirname(routes)
      const declared = OPERATIONS.filter(({ name }) => read(routes).includes(`(${constants.get(name)},`)).flatMap(
        ({ reasons = [] }) => reasons,
      )
      const thrown = SOURCES.filter((file) => path.posix.dirname(file) === folder).flatMap((file) =>
        reasonsIn(read(file)),
      )
      const known = [...declared, ...Object.keys(COMMON_REASONS)]
      return thrown.filter((reason) => !known.includes(reason)).map((reason) => `${folder}: ${reason}`)
    })
    assert.deepEqual(undeclared, [])
  })

  it('has a test that names every operation', () => {
    const without = [...constants].filter(
      ([name, constant]) => !new RegExp(`['"\`]${name.replace('.', '\\.')}['"\`]|\\b${constant}\\b`).test(inTests),
    )
    assert.deepEqual(without, [])
  })

  it('has no two tests with the same name in a file', () => {
    const twice = ALL.filter(isTest).flatMap((file) => repeated(testNames(file)).map((name) => `${file}: ${name}`))
    assert.deepEqual(twice, [])
  })

  it('pins every dependency and states its purpose in docs/dependencies.md', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const text = read('docs/dependencies.md')
    const entries = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const faults = entries.filter(([name, version]) => !/^\d/.test(version) || !text.includes(`\`${name}\``))
    assert.deepEqual(faults, [])
  })
})
