/**
 * Reads the settings. Only this file reads the environment; its result is passed down. An invalid value stops the start
 * with one sentence.
 */
import { ConfigError, type Read, type Setting } from './setting-values.ts'
import { SETTINGS } from './settings.ts'

type Name = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer Value> ? Value : never
type Values = {
  readonly [N in Name]:
    | ValueOf<(typeof SETTINGS)[N]>
    | ((typeof SETTINGS)[N]['default'] extends string ? never : undefined)
}

/** Every setting under its name. `SIGNUP` is resolved. */
export type Config = Omit<
  {
    readonly [N in Name]: N extends WithDefault
      ? ValueOf<(typeof SETTINGS)[N]>
      : ValueOf<(typeof SETTINGS)[N]> | undefined
  },
  'SIGNUP'
> & {
  readonly SIGNUP: 'open' | 'token' | 'closed'
}
type WithDefault = Exclude<
  Name,
  | 'DATABASE_URL'
  | 'MASTER_KEY'
  | 'MASTER_KEY_PREVIOUS'
  | 'PUBLIC_URL'
  | 'TRUST_PROXY'
  | 'SIGNUP'
  | 'SIGNUP_TOKEN'
  | 'SMTP_URL'
  | 'MAIL_FROM'
  | 'METRICS_TOKEN'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'CLOCK'
>

/** Reads and checks all settings. An empty variable counts as absent. Throws `ConfigError` with one sentence. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const entries = Object.entries(SETTINGS).map(([name, { default: fallback, read }]) => {
    const value = env[name] || fallback
    return [name, value === null ? undefined : (read as Read<unknown>)(value, name)]
  })
  const values = Object.fromEntries(entries) as Values
  if (values.DATABASE_URL !== undefined && values.MASTER_KEY === undefined)
    throw new ConfigError('MASTER_KEY is required with DATABASE_URL; create one with: openssl rand -base64 32')
  const isEmbedded = values.DATABASE_URL === undefined
  if (values.SIGNUP === 'token' && values.SIGNUP_TOKEN === undefined && !isEmbedded)
    throw new ConfigError('SIGNUP_TOKEN is required with SIGNUP=token and DATABASE_URL.')
  if (values.SMTP_URL !== undefined && values.MAIL_FROM === undefined)
    throw new ConfigError('MAIL_FROM is required with SMTP_URL.')
  if (values.CLOCK !== undefined && (values.DATABASE_URL !== undefined || env.NODE_ENV === 'production'))
    throw new ConfigError('CLOCK is for tests: it cannot be set with DATABASE_URL, nor with NODE_ENV=production.')
  return Object.freeze({ ...values, SIGNUP: values.SIGNUP ?? (isEmbedded ? 'token' : 'closed') }) as Config
}
