/**
 * The settings of one service of an API key: a switch and fields, one of which is a secret that is stored sealed and
 * shown masked.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { credentialsInvalid, invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller, KeyOfActor } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { apiKeySealContext, changeApiKey } from '#tenancy/writes/api-key.ts'
import { mergedDeeply } from './nested-settings.ts'
import type { ServiceRow } from './statements.ts'

export interface ServiceDeps {
  db: Db
  sealer: Sealer
  /** Returns secrets in clear text. */
  revealSecrets: boolean
}

type Value = string | boolean

/** A field has one value, or several by name. */
export type Fields = Record<string, Value | Values>

interface Values {
  [name: string]: Value | Values | undefined
}

/** The given fields and values; any may be absent. */
type Given<Config extends Fields> = {
  [Name in keyof Config]?: (Config[Name] extends Value ? Config[Name] : Partial<Config[Name]>) | undefined
}

interface Service<Config extends Fields> {
  get: Statement<ServiceRow>
  set: Statement<never>
  column: Parameters<typeof apiKeySealContext>[0]
  /** The field of `Config` that is the secret. */
  secret: keyof Config & string
  /** The fields with the URLs that the secret is sent to; absent: it goes to a server that nobody chooses. */
  sentTo?: readonly (keyof Config & string)[]
  /** The defaults of all fields. */
  unset: Config
  /** The names of the switch and the fields in requests, responses and events. */
  names: [enabled: string, config: string]
  /** Called in the same transaction when the switch changes. */
  switched?: (session: Session, apiKeyId: string, enabled: boolean) => Promise<void>
  /** Returns the given fields in stored form; refuses those that conflict with `before`. */
  check?(given: Given<Config>, before: Config): Given<Config>
  /** Called in the transaction of every update, even if nothing changes. */
  updated?(session: Session, key: KeyOfActor, after: Settings<Config>): Promise<void>
}

export interface Settings<Config> {
  enabled: boolean
  config: Config
}

export function createService<Config extends Fields>(
  { db, sealer, revealSecrets }: ServiceDeps,
  { get, set, column, secret, sentTo = [], unset, names, switched, check = (given) => given, updated }: Service<Config>,
) {
  async function read(session: Session, apiKeyId: string): Promise<Settings<Config>> {
    const [row] = await session.run(get, [apiKeyId])
    if (row === undefined) throw credentialsInvalid()
    const opened = row.sealed === null ? '' : sealer.open(row.sealed, apiKeySealContext(column, apiKeyId))
    return { enabled: row.enabled, config: mergedDeeply(unset, { ...row.config, [secret]: opened }) as Config }
  }

  async function write(session: Session, apiKeyId: string, { enabled, config }: Settings<Config>): Promise<void> {
    const { [secret]: value, ...others } = config
    const sealed = value === '' ? null : sealer.seal(String(value), apiKeySealContext(column, apiKeyId))
    await session.run(set, [apiKeyId, enabled, JSON.stringify(others), sealed])
  }

  const withSecret = (settings: Settings<Config>, show: (value: string) => string): Settings<Config> => ({
    ...settings,
    config: { ...settings.config, [secret]: show(secretOf(settings.config)) },
  })
  const secretOf = (config: Given<Config>) => String(config[secret] ?? '')

  /** Refuses to send a kept secret to another server: an operator, who may not see it, could read it there. */
  function requireSameServers(before: Config, after: Config): void {
    const serversOf = (config: Config) =>
      new Set(sentTo.flatMap((name) => URL.parse(String(config[name]))?.origin ?? []))
    if (secretOf(before) !== '' && !serversOf(after).isSubsetOf(serversOf(before)))
      throw secretMissing(`${names[1]}.${secret}`)
  }

  /** Returns the settings as the caller may see them. Operators see no secrets in the console but can set new ones. */
  async function shown(session: Session, caller: Caller, settings: Settings<Config>): Promise<Settings<Config>> {
    const { apiKeyId, workspaceId, actor } = caller
    if (!revealSecrets || actor.operator !== undefined) return withSecret(settings, masked)
    if (secretOf(settings.config) !== '') {
      const after = { field: `${names[1]}.${secret}` }
      await recordStreamEvents(session, [{ type: 'api_key.secret_shown', workspaceId, apiKeyId, actor, after }])
    }
    return settings
  }
  const inEvent = (settings: Settings<Config>) => {
    const { enabled, config } = withSecret(settings, hidden)
    return { [names[0]]: enabled, [names[1]]: config }
  }

  /** Makes `after` the settings of a key whose row is locked. */
  async function change(session: Session, key: KeyOfActor, before: Settings<Config>, after: Settings<Config>) {
    const { apiKeyId, workspaceId, actor } = key
    if (!isDeepStrictEqual(before, after)) {
      await write(session, apiKeyId, after)
      if (after.enabled !== before.enabled) await switched?.(session, apiKeyId, after.enabled)
      await recordStreamEvents(session, [
        { type: 'api_key.updated', workspaceId, apiKeyId, actor, before: inEvent(before), after: inEvent(after) },
      ])
    }
    await updated?.(session, key, after)
  }

  return {
    get: async (caller: Caller): Promise<Settings<Config>> => shown(db, caller, await read(db, caller.apiKeyId)),

    /**
     * Gives a key whose row is locked the settings of another, without the secret. A service that had one is switched
     * off.
     */
    async copy(from: Session, sourceId: string, session: Session, target: KeyOfActor): Promise<void> {
      const { enabled, config } = await read(from, sourceId)
      const copied = { enabled: enabled && secretOf(config) === '', config: { ...config, [secret]: '' } }
      await change(session, target, await read(session, target.apiKeyId), copied)
    },

    /**
     * Merges the given fields and returns all settings. A secret equal to its mask is kept. The mask of another secret
     * is refused: it was read before the secret changed, and must not replace it. Operators must enter the secret again
     * with the URL of another server.
     */
    async update(caller: Caller, enabled: boolean | undefined, given: Given<Config> = {}): Promise<Settings<Config>> {
      const work = async (session: Session) => {
        const before = await read(session, caller.apiKeyId)
        const isKept = given[secret] === masked(secretOf(before.config))
        if (!isKept && isMask(secretOf(given))) throw maskOfAnother(`${names[1]}.${secret}`)
        const kept = isKept ? { [secret]: before.config[secret] } : {}
        const checked = check(given, before.config)
        const after = {
          enabled: enabled ?? before.enabled,
          config: mergedDeeply(before.config, { ...checked, ...kept }) as Config,
        }
        const isGiven = given[secret] !== undefined && !isKept
        if (caller.actor.operator !== undefined && !isGiven) requireSameServers(before.config, after.config)
        await change(session, caller, before, after)
        return shown(session, caller, after)
      }
      return changeApiKey(db, caller, caller.apiKeyId, work, credentialsInvalid)
    },
  }
}

function secretMissing(field: string): StatusError {
  const message = `${field} must be given again when it is to be sent to another server`
  return invalidArgument([{ field, message }])
}

function maskOfAnother(field: string): StatusError {
  const message = `${field} is the mask of a different secret than the stored one; omit it, or provide the secret itself`
  return invalidArgument([{ field, message }])
}

/** The mask of a stored secret: enough is visible to recognize the secret, not enough to use it. */
const ASTERISKS = '********'

/** From this length on, four visible characters are a small part of the secret. */
const LONG = 16

const masked = (secret: string): string =>
  secret === '' ? '' : ASTERISKS + (secret.length < LONG ? '' : secret.slice(-4))

/** Returns whether a text has the form of a mask. */
const isMask = (text: string): boolean => /^\*{8}(.{4})?$/s.test(text)

/** Returns the mask for events, which shows only whether there is a secret. */
const hidden = (secret: string): string => (secret === '' ? '' : ASTERISKS)
