/** Explains to an operator why a database cannot be used, and what to do about it. */
import { StatusError } from '../status-error.ts'
import { refusalOf } from './pg-errors.ts'
import { DatabaseUnfit, PostgresUnusable } from './postgres.ts'
import { PoolerUnfit } from './sessions/sessions.ts'

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/**
 * Returns one sentence about a database that an operator can fix; undefined for any other error. It begins with
 * `prefix`; `setting` is where the URL is set.
 */
export function explainDatabase(error: unknown, prefix: string, setting: string): string | undefined {
  if (error instanceof PostgresUnusable) {
    const { cause } = error
    if (cause instanceof PoolerUnfit || cause instanceof DatabaseUnfit) return `${prefix}${cause.message}.`
    const said = `${prefix}${(cause as Error).message.replace(/\.$/, '')}`
    return saysWhatToDo(cause) ? `${said}.` : `${said}; ${adviceFor(cause, setting)}.`
  }
  const advice = error instanceof Error ? adviceForStatement(error, setting) : undefined
  return advice === undefined ? undefined : `${prefix}${(error as Error).message}; ${advice}.`
}

const MORE_CONNECTIONS = 'let PostgreSQL, or the pooler before it, accept more connections'

const A_SCHEMA =
  'make its user the owner of the database: alter database … owner to …, or grant it a schema that its search_path names: grant usage, create on schema … to …'

/** The advice about a statement that fails at the start, by the code of PostgreSQL. */
const OF_STATEMENTS: Readonly<Record<string, string>> = {
  '42501': A_SCHEMA,
  '3F000': A_SCHEMA,
  '25006': 'set default_transaction_read_only to off for its user, the database and the server',
  '53300': MORE_CONNECTIONS,
}

const adviceForStatement = (error: unknown, setting: string): string | undefined =>
  /^permission denied for (table|sequence) /.test(String((error as Error | undefined)?.message))
    ? `let ${setting} name the user who owns its tables`
    : OF_STATEMENTS[codeOf(error)]

/** Servers respond, and the message is about the one that was promoted, or should not be used. */
const saysWhatToDo = (cause: unknown): boolean =>
  cause instanceof StatusError && (cause.reason === 'primary_disputed' || cause.cause !== undefined)

/** PostgreSQL knows no such parameter as the `options` of a connection name, or not the value of one. */
const OF_PARAMETERS = ['22023', '42601', '42704']

/** Returns what to do about a database that cannot be used, by the error of the driver or of PostgreSQL. */
export function adviceFor(error: unknown, setting: string): string {
  switch (refusalOf(error)) {
    case 'database':
      return `create it, or correct its name in ${setting}`
    case 'password':
      return `correct the user and the password in ${setting}`
    case 'tls':
      return `turn on ssl in PostgreSQL, or remove sslmode from ${setting}`
    case 'certificate':
      return `let ${setting} name a host that its certificate is for, and the certificate of its authority: …?sslmode=verify-full&sslrootcert=FILE`
    default:
      if (codeOf(error) === '08P01') return MORE_CONNECTIONS
      return OF_PARAMETERS.includes(codeOf(error))
        ? `correct the parameters in ${setting}`
        : (adviceForStatement(error, setting) ?? `start PostgreSQL, or correct the host and the port in ${setting}`)
  }
}
