/** Explains why a server did not start: one sentence, with the next step, for each fault that an operator can fix. */
import { execFile } from 'node:child_process'
import { inspect, promisify } from 'node:util'
import { explainDatabase } from '#platform/db/advice.ts'
import { DataFolderFull, DataFolderInUse, DataFolderUnusable, StoreUnusable } from '#platform/db/embedded.ts'
import { SchemaMismatch } from '#platform/db/migrate.ts'
import { toStatusError } from '#platform/db/pg-errors.ts'
import { readAddress } from './address-file.ts'
import { BucketUnreachable, MoveRefused } from './buckets/move/servers.ts'
import type { Config } from './config.ts'
import { ConfigError } from './setting-values.ts'

const run = promisify(execFile)
const LOOK_MS = 1_000

/** The server cannot listen on its address; `cause` is the error of the operating system. */
export class CannotListen extends Error {
  readonly host: string
  readonly port: number

  constructor({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>, cause: unknown) {
    super(`${HOST}:${PORT} cannot be listened on`, { cause })
    this.host = HOST
    this.port = PORT
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/** Returns whether the operating system refused a file or a folder: one of the data folder, whatever is wrong with it. */
const isOfFile = (error: NodeJS.ErrnoException): boolean => error.syscall !== undefined && error.path !== undefined

/** Returns one sentence for an error that an operator can fix, and the stack of any other error. */
export async function explainStartFailure(error: unknown): Promise<string> {
  if (error instanceof CannotListen) return explainListen(error)
  if (error instanceof DataFolderInUse) {
    const address = readAddress(error.folder)
    return address === undefined ? error.message : `${error.message} It serves ${address}.`
  }
  if (
    error instanceof ConfigError ||
    error instanceof MoveRefused ||
    error instanceof DataFolderFull ||
    error instanceof DataFolderUnusable ||
    error instanceof StoreUnusable ||
    error instanceof SchemaMismatch
  )
    return error.message
  if (!(error instanceof Error)) return inspect(error)
  const database = explainDatabase(error, 'The database of DATABASE_URL cannot be used: ', 'DATABASE_URL')
  if (database !== undefined) return database
  if (/^E[MN]FILE$/.test(codeOf(error)))
    return `The process may open too few files: ${error.message}; raise their number, for example with ulimit -n 1024.`
  if (isOfFile(error)) return `The data folder cannot be used: ${error.message}; set DATA_DIR to another.`
  const reported = toStatusError(error)
  if (reported?.status === 'UNAVAILABLE') return `The database cannot be used: ${reported.message} ${error.message}`
  return error.stack ?? error.message
}

/** Returns the exit code of `buckets` and `master-key`, as docs/reference/exit-codes.md lists them. */
export function commandExitCode(error: unknown): number {
  if (error instanceof ConfigError) return 2
  if (error instanceof BucketUnreachable) return 4
  return error instanceof MoveRefused ? 5 : 1
}

async function explainListen({ host, port, cause, message }: CannotListen): Promise<string> {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by ${await userOf(host, port)}; stop it, or set PORT to another port.`
    case 'EACCES':
      return `Port ${port} may not be used by this user; set PORT to one above 1023.`
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `HOST is ${host}, which is no address of this machine; set it to 127.0.0.1, or to 0.0.0.0 for every address.`
    default:
      return `${message}: ${(cause as Error).message}; set HOST and PORT to others.`
  }
}

/** Returns who listens on a port, as exactly as this machine says. */
async function userOf(host: string, port: number): Promise<string> {
  const other = await commonholdAt(host, port)
  const process = await processOn(port)
  if (other === undefined) return process ?? 'another program'
  return `another Commonhold ${other}${process === undefined ? '' : `, ${process}`}`
}

/** Returns the version of a Commonhold that listens there. */
async function commonholdAt(host: string, port: number): Promise<string | undefined> {
  const name = host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${name}:${port}/version`, { signal: AbortSignal.timeout(LOOK_MS) })
    const { version, engine } = (await response.json()) as { version?: unknown; engine?: unknown }
    return typeof version === 'string' && typeof engine === 'string' && /^[\w.-]{1,40}$/.test(version)
      ? version
      : undefined
  } catch {
    return undefined // not HTTP, or not Commonhold
  }
}

/** Returns the name and the id of the process that listens on a port, if `lsof` is here and may see it. */
async function processOn(port: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { timeout: LOOK_MS })
    const [, id, name] = /^p(\d+)\nc([^\n]{1,100})/.exec(stdout) ?? []
    return id === undefined ? undefined : `the process ${id} (${name})`
  } catch {
    return undefined
  }
}
