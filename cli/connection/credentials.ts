/** The credentials of a connection: from the environment, or from a profile, whose session comes before its tokens. */
import { Failure } from '../failures.ts'
import type { Profile } from './profiles.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** An id with its secret, and where they come from. */
interface CredentialPair {
  id: string
  secret: string
  from: string
}

/** The person who is signed in with a profile, and the secret of the session. */
export interface PersonSession {
  person: string
  secret: string
}

export interface FoundCredentials {
  key: CredentialPair | undefined
  workspace: CredentialPair | undefined
  session: PersonSession | undefined
}

const NAMES = [
  'COMMONHOLD_API_KEY',
  'COMMONHOLD_AUTH_TOKEN',
  'COMMONHOLD_WORKSPACE_ID',
  'COMMONHOLD_WORKSPACE_TOKEN',
] as const

/** Returns the environment for commands about the session of a profile; tokens are left out. */
export const withoutCredentials = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !(NAMES as readonly string[]).includes(name)))

/** `own` is the profile, if it is for the server of the connection. */
export function credentialsOf(env: Environment, own: Profile | undefined, profile: string): FoundCredentials {
  const { session: secret, person = 'somebody' } = own ?? {}
  const session = secret === undefined ? undefined : { person, secret }
  const pair = (idName: string, secretName: string, id: string | undefined, token: string | undefined) =>
    pairOf(env, { idName, secretName, id, token, session, profile })
  const key = pair('COMMONHOLD_API_KEY', 'COMMONHOLD_AUTH_TOKEN', own?.apiKey, own?.authToken)
  const workspace = pair('COMMONHOLD_WORKSPACE_ID', 'COMMONHOLD_WORKSPACE_TOKEN', own?.workspaceId, own?.workspaceToken)
  const isUsed = [key, workspace].some((used) => used?.secret === secret)
  return { key, workspace, session: isUsed ? session : undefined }
}

interface Places {
  idName: string
  secretName: string
  id: string | undefined
  token: string | undefined
  session: PersonSession | undefined
  profile: string
}

function pairOf(env: Environment, { idName, secretName, id, token, session, profile }: Places) {
  const [envId, envSecret] = [env[idName] || undefined, env[secretName] || undefined]
  if (envId !== undefined && envSecret !== undefined) return { id: envId, secret: envSecret, from: `from ${idName}` }
  // A person who is signed in has access to every API key of the workspace.
  if (envId !== undefined && session !== undefined && idName === 'COMMONHOLD_API_KEY')
    return { id: envId, secret: session.secret, from: `from ${idName}` }
  if (envId !== undefined || envSecret !== undefined) {
    const [present, absent] = envId === undefined ? [secretName, idName] : [idName, secretName]
    throw new Failure(
      'credentials',
      `${present} is set without ${absent}.`,
      'Set both, or neither. With a key alone you have to be signed in: commonhold login',
    )
  }
  const secret = session?.secret ?? token
  return id !== undefined && secret !== undefined ? { id, secret, from: `from the profile ${profile}` } : undefined
}

/** Returns `testing` or `production`, from the prefix of the key. */
export const environmentOf = (apiKey: string): string | undefined =>
  apiKey.startsWith('chk_test_') ? 'testing' : apiKey.startsWith('chk_live_') ? 'production' : undefined

/** Returns where the credentials come from, as sentences. */
export function sourceOf({ key, workspace, session }: FoundCredentials): string[] {
  const environment = key === undefined ? undefined : environmentOf(key.id)
  const kind = environment === undefined ? '' : `, of the ${environment} environment,`
  return [
    ...(key === undefined ? [] : [`The API key ${key.id}${kind} is ${key.from}.`]),
    ...(workspace === undefined ? [] : [`The workspace ${workspace.id} is ${workspace.from}.`]),
    ...(session === undefined ? [] : [`You are signed in as ${session.person}.`]),
  ]
}

export function missing(
  of: 'apiKey' | 'workspace',
  url: string,
  { session, workspace }: FoundCredentials,
  elsewhere: { name: string; url: string } | undefined,
): Failure {
  if (of === 'apiKey' && session !== undefined)
    return new Failure(
      'credentials',
      'This command needs an API key, and the profile has none.',
      'To list the API keys: commonhold key list. To choose one: commonhold key use API-KEY, or set COMMONHOLD_API_KEY.',
    )
  if (of === 'apiKey' && workspace !== undefined && elsewhere === undefined)
    return new Failure(
      'credentials',
      `This command needs an API key and its auth token of ${url}, and there is only the workspace.`,
      'To list the API keys: commonhold key list. To create a token of one, and save both: commonhold token create NAME API-KEY --save',
    )
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
    `Sign in as a person: commonhold login. Or set ${names}, or save them in a profile: commonhold profile add NAME`,
  )
}
