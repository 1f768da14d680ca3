/** The settings of one service of an API key: a switch, fields, and one secret among them that is stored sealed and shown masked. */
import { isDeepStrictEqual } from 'node:util'
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import type { Sealer } from '#platform/seal.ts'
import { credentialsInvalid, invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { apiKeySealContext, changeApiKey } from '#tenancy/writes/api-key.ts'
import { hidden, isMask, masked } from './masking.ts'
import type { ServiceRow } from './statements.ts'

export interface ServiceDeps {
  db: Db
  sealer: Sealer
  /** Answer secrets in clear. */
  revealSecrets: boolean
}

type Value = string | boolean

/** A field holds a value, or values by name. */
export type Fields = Record<string, Value | Record<string, Value>>

/** Fields of which any may be absent, and any value of those that hold several. */
type Given<Config extends Fields> = {
  [Name in keyof Config]?: (Config[Name] extends Value ? Config[Name] : Partial<Config[Name]>) | undefined
}

interface Service<Config extends Fields> {
  get: Statement<ServiceRow>
  set: Statement<never>
  column: Parameters<typeof apiKeySealContext>[0]
  /** The field of `Config` that is the secret. */
  secret: keyof Config & string
  /** Every field as it is where nothing is set. */
  unset: Config
  /** The names that the switch and the fields have for callers, and in events. */
  names: [enabled: string, config: string]
  /** What follows when the switch is thrown, in the same transaction. */
  switched?: (session: Session, apiKeyId: string, enabled: boolean) => Promise<void>
  /** What is given as it is to be stored; refuses what does not go together with what `before` has. */
  check?(given: Given<Config>, before: Config): Given<Config>
  /** Called in the transaction of every update, also of one that changes nothing. */
  updated?(session: Session, caller: Caller, after: Settings<Config>): Promise<void>
}

export interface Settings<Config> {
  enabled: boolean
  config: Config
}

export function createService<Config extends Fields>(
  { db, sealer, revealSecrets }: ServiceDeps,
  { get, set, column, secret, unset, names, switched, check = (given) => given, updated }: Service<Config>,
) {
  async function read(session: Session, apiKeyId: string): Promise<Settings<Config>> {
    const [row] = await session.run(get, [apiKeyId])
    if (row === undefined) throw credentialsInvalid()
    const opened = row.sealed === null ? '' : sealer.open(row.sealed, apiKeySealContext(column, apiKeyId))
    return { enabled: row.enabled, config: merged(unset, { ...row.config, [secret]: opened }) }
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
  const shown = (settings: Settings<Config>) => (revealSecrets ? settings : withSecret(settings, masked))
  const inEvent = (settings: Settings<Config>) => {
    const { enabled, config } = withSecret(settings, hidden)
    return { [names[0]]: enabled, [names[1]]: config }
  }

  return {
    get: async ({ apiKeyId }: Caller): Promise<Settings<Config>> => shown(await read(db, apiKeyId)),

    /**
     * Merges what is given; a secret equal to its mask stays as it is. The mask of another one was read before somebody
     * changed the secret, and must not take its place. Answers all settings as they are now.
     */
    async update(caller: Caller, enabled: boolean | undefined, given: Given<Config> = {}): Promise<Settings<Config>> {
      const { apiKeyId, workspaceId, actor } = caller
      const work = async (session: Session) => {
        const before = await read(session, apiKeyId)
        const isKept = given[secret] === masked(secretOf(before.config))
        if (!isKept && isMask(secretOf(given))) throw maskOfAnother(`${names[1]}.${secret}`)
        const kept = isKept ? { [secret]: before.config[secret] } : {}
        const checked = check(given, before.config)
        const after = { enabled: enabled ?? before.enabled, config: merged(before.config, { ...checked, ...kept }) }
        if (!isDeepStrictEqual(before, after)) {
          await write(session, apiKeyId, after)
          if (after.enabled !== before.enabled) await switched?.(session, apiKeyId, after.enabled)
          await recordStreamEvents(session, [
            { type: 'api_key.updated', workspaceId, apiKeyId, actor, before: inEvent(before), after: inEvent(after) },
          ])
        }
        await updated?.(session, caller, after)
        return shown(after)
      }
      return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
    },
  }
}

/** What is given takes the place of what is there; of fields that hold several values, value by value. */
function merged<Config extends Fields>(config: Config, given: object): Config {
  const entries = Object.entries(given).map(([name, value]) => {
    const there = config[name]
    return [name, typeof there === 'object' && typeof value === 'object' ? { ...there, ...value } : value]
  })
  return { ...config, ...Object.fromEntries(entries) }
}

function maskOfAnother(field: string): StatusError {
  const message = `${field} is the mask of another secret than the one that is stored; leave it out, or give the secret itself`
  return invalidArgument([{ field, message }])
}
