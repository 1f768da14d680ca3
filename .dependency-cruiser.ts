/** Who may import whom: the table in ARCHITECTURE.md, as rules. `npm run check` applies them to every import. */
import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser'

interface Room {
  /** The files of the room, which may import each other. */
  files: string
  /** Rooms of their own among these files. */
  except?: string
  /** Rooms and packages. */
  may: readonly string[]
  /** Rooms and packages of which only types may be imported. */
  mayTypes?: readonly string[]
}

const FEATURE_MAY = [
  ...[
    '@simplewebauthn/server',
    'tenancy',
    'platform',
    'contract',
    'jose',
    'disposable-email-domains-js',
    'nodemailer',
    'openid-client',
    'rate-limiter-flexible',
  ],
]
const FEATURE_MAY_TYPES = ['kernel', 'http', 'fastify']
/** These serve calls that are not operations of the contract. */
const servingFeature = (name: string, ...packages: string[]): Room => ({
  files: `^server/features/${name}/`,
  may: [...FEATURE_MAY, 'features', 'http', ...packages],
  mayTypes: ['kernel', 'fastify'],
})

const ROOMS: Record<string, Room> = {
  contract: { files: '^contract/', may: ['typebox', 'fastest-levenshtein'] },
  platform: {
    files: '^server/platform/',
    may: ['pg', 'pino', 'pino-pretty', '@electric-sql/pglite', 'undici', 'ipaddr.js'],
    mayTypes: ['contract'],
  },
  tenancy: { files: '^server/tenancy/', may: ['platform', 'contract'] },
  http: {
    files: '^server/http/',
    may: [
      ...['platform', 'contract'],
      ...['fastify', '@scalar/fastify-api-reference', '@streamparser/json', 'rate-limiter-flexible'],
      'typebox',
    ],
    mayTypes: ['tenancy'],
  },
  features: {
    files: '^server/features/',
    except: '^server/features/(?:authzen|console|live|system|webhooks)/',
    may: FEATURE_MAY,
    mayTypes: FEATURE_MAY_TYPES,
  },
  'features/authzen': servingFeature('authzen', 'typebox'),
  'features/live': servingFeature('live'),
  'features/console': servingFeature('console', 'typebox', '@fastify/cookie', '@fastify/static'),
  'features/system': servingFeature('system'),
  'features/webhooks': {
    files: '^server/features/webhooks/',
    may: [...FEATURE_MAY, 'features', 'sentences about events'],
    mayTypes: FEATURE_MAY_TYPES,
  },
  kernel: { files: '^server/kernel\\.ts$', may: ['app', 'platform'], mayTypes: ['http', 'contract'] },
  buckets: {
    files: '^server/buckets/',
    may: ['app', 'http', 'tenancy', 'platform', 'contract', 'pg'],
    mayTypes: ['kernel', 'fastify'],
  },
  app: {
    files: '^server/(?:master-key/)?[^/]+$',
    except: '^server/kernel\\.ts$',
    may: [
      ...['kernel', 'buckets', 'features', 'http', 'tenancy', 'platform', 'contract', 'prom-client'],
      ...['@opentelemetry/api', '@opentelemetry/core', '@opentelemetry/exporter-trace-otlp-http'],
      ...['@opentelemetry/resources', '@opentelemetry/sdk-trace'],
    ],
    mayTypes: ['fastify'],
  },
  sdk: { files: '^sdk/', may: [] },
  'sentences about events': { files: '^sdk/event-sentences/', may: ['sdk'] },
  components: { files: '^components/', may: ['lit', 'approx-string-match'], mayTypes: ['react'] },
  /** The client as users install it. */
  'the package of the client': { files: '^@commonhold/client(?:/testing)?$', may: [] },
  'the package of the components': { files: '^@commonhold/comments(?:/react)?$', may: [] },
  examples: {
    files: '^examples/',
    may: [
      ...['the package of the client', 'the package of the components'],
      ...['express', 'react', 'smtp-server', 'postal-mime'],
    ],
  },
  /** Runs in Node and in browsers. */
  moving: { files: '^moving/', may: ['sdk', 'contract', 'typebox'] },
  cli: {
    files: '^cli/',
    may: [
      ...['moving', 'sdk', 'contract', 'commander', '@clack/prompts', '@bomb.sh/tab', 'fast-string-width'],
      ...['fastest-levenshtein', 'typebox', 'csv-parse', '@modelcontextprotocol/server'],
    ],
  },
  console: {
    files: '^console/',
    may: [
      ...['moving', 'sdk', 'react', 'react-dom', 'vite', '@vitejs/plugin-react', 'recharts', '@simplewebauthn/browser'],
      ...['@mantine/core', '@mantine/hooks', '@mantine/form', '@mantine/notifications', '@mantine/charts'],
      '@tabler/icons-react',
      ...['@tanstack/react-query', '@tanstack/react-router', '@tanstack/react-virtual'],
    ],
    mayTypes: ['contract'],
  },
}

/** `a → b`: the feature `a` uses what `b` declares in its `shared.ts`. */
export const FEATURE_PAIRS: Record<string, string> = {
  'api-keys → domains': 'a key is created with its allowed domains, which are normalized alike',
  'api-keys → service-configs': 'it warns when a key is created with mail that cannot be sent',
  'api-keys → signing-keys': 'a key is created with its signing key',
  'api-keys → webhooks': 'a key is created with its basic webhook URLs',
  'authzen → permissions': 'its decisions are those of permissions.check',
  'comments → permissions': 'verifyUserPermissions asks whether the authors have access to the document',
  'comments → resources/documents': 'a thread may add the document that it is on, in its transaction',
  'console → auth-tokens': 'somebody signs in with an API key and its auth token',
  'console → operators': 'as an operator, whose visit is recorded',
  'console → service-configs': 'its views say whether mail can be sent',
  'console → webhooks': 'the overview shows the health of all webhooks',
  'console → workspaces': 'the first visit creates the first workspace, in the transaction that signs in its owner',
  'console → workspace-tokens': 'or with a workspace and its token',
  'invitations → permissions':
    'accepting grants a role in its transaction, and an invitation declares its resource as a grant does',
  'invitations → user-tokens': 'whoever accepts shows a user token',
  'invitations → users': 'accepting stores the profile, in its transaction',
  'key-config → service-configs': 'copying the settings of a key copies those of its services, in the same transaction',
  'login-links → mail': 'they are sent by mail of the installation',
  'permissions → permission-provider': 'a user token is denied only after the permission provider was asked',
  'console → login-links': 'or with a one-time link',
  'console → single-sign-on': 'or with an OpenID Connect provider',
  'single-sign-on → operators': 'the first sign-in of an account adds an operator, in its transaction',
  'comment-data → comments': 'an import checks threads and comments as the calls that add them do',
  'comment-data → notifications': 'and the contexts of notifications',
  'comments → activities': 'a comment is recorded in its transaction, if the call asks for that',
  'mail → comments': 'recipients of a comment are decided as for every channel, and its thread is shown as by reads',
  'mail → domains': 'a page that anybody may name is linked only on the allowed domains',
  'mail → notifications': 'a page ends the mails of a user, which are a channel of the preferences',
  'mail → permissions': 'a mail about access names only what is open to the user when it is sent',
  'comments → notifications': 'a comment notifies the people concerned, in its transaction',
  'notifications → permissions': 'users are left out who have no access to the document',
  'live → comments': 'it sends threads as their readers see them',
  'live → notifications': 'it sends what is new in an inbox',
  'live → permissions': 'it says which documents are open',
  'live → user-tokens': 'it checks the credentials of open streams again',
  'activities → permissions': 'a user token reads those of documents that are open to its user',
  'notifications → resources/documents': 'a notification may add the document that it is about',
  'operators → login-links': 'an invitation has a link, made in its transaction',
  'service-configs → webhooks': 'the basic webhook URLs are settings of the API key',
  'findings → mail': 'operators get them by mail once a week, if they want to',
  'findings → permissions': 'a fix gives no grant that would lower its user',
  'findings → webhooks': 'webhooks that fail are worth a look',
  'operators → findings': 'whether an operator wants that mail is a setting of theirs',
  'webhooks → usage': 'a delivered message is counted in the transaction that records it',
  'search → comments': 'a thread that is found has the address that reads return',
  'search → permissions': 'a user finds the threads on documents that are open to them',
  'sharing → comments': 'people are shown and found as those who can be mentioned',
  'sharing → permissions': 'it decides access, lists it and writes grants, in its transaction',
  'user-access → users': 'it may also disable the users, in the same transaction',
  'user-access → user-tokens': 'revoking all access of users also revokes their tokens, in its transaction',
  'user-data → comments': 'and their comments, which an erasure removes',
  'user-data → idempotency-keys': 'an erasure deletes the stored responses to calls of the user',
  'user-data → user-tokens': 'an erasure revokes the tokens of the user',
  'user-data → invitations': 'the data about a user include the invitations of the user',
  'user-tokens → domains': 'a user token counts on pages of the allowed domains alone',
  'user-tokens → permissions': 'a sign-in may grant roles, in its transaction',
  'user-tokens → signing-keys': 'the key that signs now',
  'user-tokens → users': 'a sign-in stores the profile, in its transaction',
  'users → permissions': 'users.add grants roles, in its transaction',
  'users → resources/folders': 'and may add the folder that it grants them on',
  'webhooks → comments': 'messages about threads say what the threads are when they are sent',
  'webhooks → events': 'a replay finds the events of a time as events.list does',
  'workspaces → api-keys': 'a workspace is created with its first API key, in its transaction',
  'workspaces → operators': 'and with its owner',
  'workspaces → workspace-tokens': 'and with its first token',
}

type Rule = IForbiddenRuleType
const severity = 'error'
const TESTS = '\\.test\\.ts$'
const filesOf = (roomOrPackage: string): string =>
  ROOMS[roomOrPackage]?.files ?? `^node_modules/${roomOrPackage.replaceAll('.', '\\.')}/`

const roomRules = Object.entries(ROOMS).flatMap(([name, { files, except = '^$', may, mayTypes = [] }]): Rule[] => {
  const from = { path: files, pathNot: [TESTS, except] }
  const imports: Rule = {
    name: `${name} imports only what it may`,
    comment: `${name} may import ${[...may, ...mayTypes.map((other) => `types of ${other}`)].join(', ')}.`,
    severity,
    from,
    to: { pathNot: [files, ...[...may, ...mayTypes].map(filesOf)], dependencyTypesNot: ['core'] },
  }
  const types: Rule = {
    name: `${name} imports only types`,
    comment: `Of ${mayTypes.join(', ')}, ${name} may import types alone.`,
    severity,
    from,
    to: { path: mayTypes.map(filesOf), dependencyTypesNot: ['type-only'] },
  }
  return mayTypes.length === 0 ? [imports] : [imports, types]
})

const pairs = Object.keys(FEATURE_PAIRS).map((pair) => {
  const [from = '', to = ''] = pair.split(' → ')
  return { pair, from, to }
})
const folderOf = (feature: string): string => `^server/features/${feature}/`
const sharedOf = (feature: string): string => `${folderOf(feature)}shared\\.ts$`

const pairRules = [
  ...[...Map.groupBy(pairs, ({ from }) => from)].map(
    ([feature, uses]): Rule => ({
      name: `${feature} uses only its pairs`,
      comment: `${feature} may import shared.ts of ${uses.map(({ to }) => to).join(', ')}.`,
      severity,
      from: { path: folderOf(feature), pathNot: TESTS },
      to: { path: folderOf('.+'), pathNot: [folderOf(feature), ...uses.map(({ to }) => sharedOf(to))] },
    }),
  ),
  ...pairs.map(
    ({ pair, from, to }): Rule => ({
      name: `${pair} is used`,
      severity,
      module: { path: sharedOf(to), numberOfDependentsLessThan: 1 },
      from: { path: folderOf(from), pathNot: TESTS },
    }),
  ),
]

/** Rooms in the order in which they build on each other: none imports a later one. */
const LAYERS: Record<string, readonly string[]> = {
  'server/features/permissions': [
    ...['decision', 'grants', 'expiry', 'provided', 'checks', 'explanations', 'lists/[^/]+\\.ts', 'lists/inside'],
    ...['simulations', '[^/]+\\.ts'],
  ],
  'console/src': [
    ...[
      '(?:page-data|plural|recent|resource|access-types|clock)\\.ts',
      'links/',
      'session/',
      'queries/',
      'components/',
    ],
    ...['sign-in/', 'shell/', 'views/', '(?:router|main)\\.tsx?'],
  ],
  'console/src/queries': ['pages/', 'keys/', 'account/', 'resources/', 'users/', 'access/', 'live/', '[^/]+\\.ts'],
  'console/src/components': [
    ...[
      'values/',
      'feedback/',
      'page/',
      'permitted/',
      'forms/',
      'tables/',
      'combobox/',
      'search/',
      'secrets/',
      'access/',
      'resources/',
    ],
    'people/',
  ],
  // A view shows parts of other views only in this order.
  'console/src/views': [
    ...[
      'access/',
      'access-review/',
      'events/',
      'people/',
      'users/',
      'webhooks/',
      'keys/',
      'account/',
      'changes/',
      'device/',
      'findings/',
      'groups/',
    ],
    ...[
      'invitations/',
      'key-settings/',
      'matrix/',
      'migrations/',
      'moving/',
      'organizations/',
      'overview/',
      'resources/',
    ],
    ...['single-sign-on/', 'threads/', 'why/', 'workspace-tokens/'],
  ],
}

const layerRules = Object.entries(LAYERS).flatMap(([folder, layers]) =>
  layers.slice(0, -1).map(
    (layer, index): Rule => ({
      name: `${folder}/${layer} imports no later room`,
      comment: `The order of the rooms in ${folder} is ${layers.join(', ')}.`,
      severity,
      from: { path: `^${folder}/${layer}`, pathNot: TESTS },
      to: { path: `^${folder}/(?:${layers.slice(index + 1).join('|')})` },
    }),
  ),
)

const forbidden: Rule[] = [
  ...roomRules,
  ...pairRules,
  ...layerRules,
  {
    name: 'features use no other feature',
    comment: 'List the pair with its reason in FEATURE_PAIRS, and import shared.ts of the other feature.',
    severity,
    from: {
      path: '^server/features/((?:resources/)?[^/]+)/',
      pathNot: [TESTS, ...pairs.map(({ from }) => folderOf(from))],
    },
    to: { path: folderOf('.+'), pathNot: folderOf('$1') },
  },
  {
    name: 'every file of the server is in a room',
    severity,
    from: { path: '^server/[^/]+/', pathNot: '^server/(?:platform|tenancy|http|features|buckets|master-key)/' },
    to: {},
  },
  {
    name: 'the client, the components, moving and the console import nothing of Node',
    comment: 'They run where there is no Node.',
    severity,
    from: { path: '^(?:sdk|components|console|moving)/', pathNot: '^sdk/testing\\.ts$' },
    to: { dependencyTypes: ['core'] },
  },
  { name: 'files form no circle', severity, from: {}, to: { circular: true } },
  {
    name: 'every import is found',
    comment: 'The examples import the client and the components as the packages that their users install.',
    severity,
    from: {},
    to: { couldNotResolve: true, pathNot: '^@commonhold/(?:client(?:/testing)?|comments(?:/react)?)$' },
  },
  {
    name: 'every package is in package.json',
    severity,
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
]

export default {
  forbidden,
  options: {
    parser: 'swc', // TypeScript 7 has no parser that other programs can call
    combinedDependencies: true, // the packages that components/ bundles are those of the root
    doNotFollow: { path: '^node_modules/' },
    exclude: { path: '^(?:(?:cli|components|console|sdk)/dist|examples/[^/]+/(?:node_modules|\\.next))/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
} satisfies IConfiguration
