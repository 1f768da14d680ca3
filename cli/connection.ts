/** Finds the address and the credentials: on the command line, in the environment, or in a profile, in this order. */
import type { Credentials } from '#contract/operation.ts'
import {
  type Client,
  createClient,
  createPublicClient,
  createWorkspaceClient,
  type WorkspaceClient,
} from '#sdk/client.ts'
import type { ServerOptions } from '#sdk/options.ts'
import { Failure, wrongUsage } from './failures.ts'
import { localServerUrl, signupTokenFor } from './local-server.ts'
import { type Profile, profilesFile, readProfiles } from './profiles.ts'
import { coloured, note, plain } from './terminal.ts'

export const DEFAULT_URL = 'http://127.0.0.1:8080'
export const DEFAULT_PROFILE = 'default'

/** The options of every command that calls a server. */
export interface GlobalOptions {
  json?: boolean
  profile?: string
  url?: string
  timeout?: number
}

/** An id with its secret, and where they come from. */
interface CredentialPair {
  id: string
  secret: string
  from: string
}

export interface Connection {
  url: string
  /** Where the address and the credentials come from, in sentences, without secrets. */
  source: string
  headerPrefix: string | undefined
  apiKey: string | undefined
  workspaceId: string | undefined
  /** Returns a client with an API key. Throws if there are no credentials for it. */
  forKey(): Client
  forWorkspace(): WorkspaceClient
  /** Returns a client for operations with these credentials. */
  for(credentials: Credentials): object
  has(credentials: Exclude<Credentials, 'none'>): boolean
}

/** Writes what the server warns about to standard error. */
const warn = (warning: string): void => note(`${coloured('yellow', 'warning', process.stderr)}  ${plain(warning)}`)

type Environment = Readonly<Record<string, string | undefined>>

export function connect(options: GlobalOptions, env: Environment = process.env): Connection {
  const { name, profile } = chosenProfile(options, env)
  // A profile named on the command line overrides the environment.
  const from = options.profile === undefined ? env : {}
  const [url, urlFrom] = addressOf(options, from, name, profile)
  const own = profile !== undefined && sameServer(profile.url, url) ? profile : undefined
  const key = pairOf(from, 'COMMONHOLD_API_KEY', 'COMMONHOLD_AUTH_TOKEN', own?.apiKey, own?.authToken, name)
  const workspace = pairOf(
    from,
    'COMMONHOLD_WORKSPACE_ID',
    'COMMONHOLD_WORKSPACE_TOKEN',
    own?.workspaceId,
    own?.workspaceToken,
    name,
  )
  const headerPrefix = from.COMMONHOLD_HEADER_PREFIX || own?.headerPrefix
  const ms =
    options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1_000, tryTimeoutMs: options.timeout * 1_000 }
  const server: ServerOptions = { url, ...(headerPrefix === undefined ? {} : { headerPrefix }), ...ms, onWarning: warn }
  asUsageError(() => createPublicClient(server), urlFrom)
  const elsewhere = profile !== undefined && own === undefined ? { name, url: profile.url } : undefined

  const connection: Connection = {
    url,
    headerPrefix,
    apiKey: key?.id,
    workspaceId: workspace?.id,
    source: [`The address ${url} is ${urlFrom}.`, ...sourceOf(key, workspace)].join(' '),
    forKey() {
      if (key === undefined) throw missing('apiKey', url, elsewhere)
      return asUsageError(() => createClient({ ...server, apiKey: key.id, authToken: key.secret }), urlFrom)
    },
    forWorkspace() {
      if (workspace === undefined) throw missing('workspace', url, elsewhere)
      return asUsageError(
        () => createWorkspaceClient({ ...server, workspaceId: workspace.id, workspaceToken: workspace.secret }),
        urlFrom,
      )
    },
    for(credentials) {
      if (credentials === 'apiKey') return connection.forKey()
      if (credentials === 'workspace') return connection.forWorkspace()
      const signupToken = signupTokenFor(url, env)
      return asUsageError(
        () => createPublicClient({ ...server, ...(signupToken === undefined ? {} : { signupToken }) }),
        urlFrom,
      )
    },
    has: (credentials) => (credentials === 'apiKey' ? key : workspace) !== undefined,
  }
  return connection
}

function chosenProfile(options: GlobalOptions, env: Environment): { name: string; profile: Profile | undefined } {
  const asked = options.profile ?? (env.COMMONHOLD_PROFILE || undefined)
  const { current, profiles } = readProfiles()
  const name = asked ?? current ?? DEFAULT_PROFILE
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (asked !== undefined && profile === undefined) {
    const known = Object.keys(profiles)
    throw wrongUsage(
      `There is no profile ${JSON.stringify(name)} in ${profilesFile()}.`,
      known.length === 0 ? 'To add one: commonhold profile add NAME' : `There are: ${known.join(', ')}.`,
    )
  }
  return { name, profile }
}

function addressOf(
  options: GlobalOptions,
  env: Environment,
  name: string,
  profile: Profile | undefined,
): [url: string, from: string] {
  if (options.url !== undefined) return [options.url, 'from --url']
  if (env.COMMONHOLD_URL) return [env.COMMONHOLD_URL, 'from COMMONHOLD_URL']
  if (profile !== undefined) return [profile.url, `that of the profile ${name}`]
  const local = localServerUrl(env)
  if (local !== undefined) return [local, 'that of the server of this folder']
  return [DEFAULT_URL, 'the default of a server on this machine']
}

/** The credentials of a profile are sent to the server of the profile and to no other. */
const sameServer = (one: string, other: string): boolean => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

function pairOf(
  env: Environment,
  idName: string,
  secretName: string,
  id: string | undefined,
  secret: string | undefined,
  profile: string,
): CredentialPair | undefined {
  const [envId, envSecret] = [env[idName] || undefined, env[secretName] || undefined]
  if (envId !== undefined && envSecret !== undefined) return { id: envId, secret: envSecret, from: `from ${idName}` }
  if (envId !== undefined || envSecret !== undefined) {
    const [present, absent] = envId === undefined ? [secretName, idName] : [idName, secretName]
    throw new Failure('credentials', `${present} is set without ${absent}.`, `Set both, or neither.`)
  }
  return id !== undefined && secret !== undefined ? { id, secret, from: `that of the profile ${profile}` } : undefined
}

/** Returns `testing` or `production`, from the prefix of the key. */
export const environmentOf = (apiKey: string): string | undefined =>
  apiKey.startsWith('chk_test_') ? 'testing' : apiKey.startsWith('chk_live_') ? 'production' : undefined

function sourceOf(key: CredentialPair | undefined, workspace: CredentialPair | undefined): string[] {
  const environment = key === undefined ? undefined : environmentOf(key.id)
  const kind = environment === undefined ? '' : `, of the ${environment} environment,`
  return [
    ...(key === undefined ? [] : [`The API key ${key.id}${kind} is ${key.from}.`]),
    ...(workspace === undefined ? [] : [`The workspace ${workspace.id} is ${workspace.from}.`]),
  ]
}

function missing(
  of: 'apiKey' | 'workspace',
  url: string,
  elsewhere: { name: string; url: string } | undefined,
): Failure {
  const [what, names] =
    of === 'apiKey'
      ? ['an API key and its auth token', 'COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN']
      : ['a workspace and its token', 'COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN']
  const because =
    elsewhere === undefined
      ? ''
      : ` The credentials of the profile ${elsewhere.name} are for ${elsewhere.url} and are sent nowhere else.`
  return new Failure(
    'credentials',
    `This command needs ${what} of ${url}, and there is none.${because}`,
    `Set ${names}, or save them in a profile: commonhold profile add NAME`,
  )
}

/** Reports what the client refuses before any call as wrong usage. */
function asUsageError<Value>(create: () => Value, urlFrom: string): Value {
  try {
    return create()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const isAddress = error.message.startsWith('url ')
    if (isAddress) throw wrongUsage(error.message.replace(/^url /, 'The address ').concat('.'), `It is ${urlFrom}.`)
    throw new Failure('credentials', `${error.message}.`)
  }
}
