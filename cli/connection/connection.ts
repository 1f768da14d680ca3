/** Finds the address and the credentials: on the command line, in the environment, or in a profile, in this order. */

import type { Credentials } from '#contract/core/operation.ts'
import {
  type Client,
  createClient,
  createPublicClient,
  createWorkspaceClient,
  type WorkspaceClient,
} from '#sdk/client.ts'
import type { ServerOptions } from '#sdk/options.ts'
import { Failure, wrongUsage } from '../failures.ts'
import { io } from '../terminal/io.ts'
import { credentialsOf, missing, type PersonSession, sourceOf } from './credentials.ts'
import { localServerUrl, signupTokenFor } from './local-server.ts'
import { type Profile, profilesFile, readProfiles } from './profiles.ts'
import { warn } from './warnings.ts'

export const DEFAULT_URL = 'http://127.0.0.1:8080'
export const DEFAULT_PROFILE = 'default'

/** The options of every command that calls a server. */
export interface GlobalOptions {
  json?: boolean
  profile?: string
  url?: string
  timeout?: number
}

export interface Connection {
  url: string
  /** Where the address and the credentials come from, in sentences, without secrets. */
  source: string
  headerPrefix: string | undefined
  /** The name of the profile, which may not exist. */
  profile: string
  server: ServerOptions
  /** The person who is signed in; undefined if calls are made with tokens. */
  session: PersonSession | undefined
  hasOwnToken: boolean
  apiKey: string | undefined
  workspaceId: string | undefined
  /** Returns a client with an API key. Throws if there are no credentials for it. */
  forKey(): Client
  forWorkspace(): WorkspaceClient
  /** Returns a client for operations with these credentials. */
  for(credentials: Credentials): object
  has(credentials: Exclude<Credentials, 'none'>): boolean
}

type Environment = Readonly<Record<string, string | undefined>>

export function connect(options: GlobalOptions, env: Environment = io().env): Connection {
  const { name, profile } = chosenProfile(options, env)
  // A profile named on the command line overrides the environment.
  const from = options.profile === undefined ? env : {}
  const [url, urlFrom] = addressOf(options, from, name, profile)
  const own = profile !== undefined && sameServer(profile.url, url) ? profile : undefined
  const found = credentialsOf(from, own, name)
  const { key, workspace, session } = found
  const headerPrefix = from.COMMONHOLD_HEADER_PREFIX || own?.headerPrefix
  const ms =
    options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1_000, tryTimeoutMs: options.timeout * 1_000 }
  const server: ServerOptions = { url, ...(headerPrefix === undefined ? {} : { headerPrefix }), ...ms, onWarning: warn }
  asUsageError(() => createPublicClient(server), urlFrom)
  const elsewhere = profile !== undefined && own === undefined ? { name, url: profile.url } : undefined

  const connection: Connection = {
    url,
    profile: name,
    server,
    session,
    hasOwnToken: key !== undefined && key.secret !== session?.secret,
    headerPrefix,
    apiKey: key?.id,
    workspaceId: workspace?.id,
    source: [`The address ${url} is ${urlFrom}.`, ...sourceOf(found)].join(' '),
    forKey() {
      if (key === undefined) throw missing('apiKey', url, found, elsewhere)
      return asUsageError(() => createClient({ ...server, apiKey: key.id, authToken: key.secret }), urlFrom)
    },
    forWorkspace() {
      if (workspace === undefined) throw missing('workspace', url, found, elsewhere)
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
      `${known.length === 0 ? '' : `There are: ${known.join(', ')}. `}To add one: commonhold profile add NAME, or --save NAME on a command that creates credentials.`,
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
  if (profile !== undefined) return [profile.url, `from the profile ${name}`]
  const local = localServerUrl(env)
  if (local !== undefined) return [local, 'from the server of this folder']
  return [DEFAULT_URL, 'the default of a server on this machine']
}

/** The credentials of a profile are sent to the server of the profile and to no other. */
export const sameServer = (one: string, other: string): boolean => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

/** Reports a refusal of the client, before any call, as wrong usage. */
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
