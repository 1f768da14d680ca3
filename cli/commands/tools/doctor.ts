/** `doctor`: checks the connection to the server and the credentials, and says how to fix each fault. */

import type { Command } from 'commander'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand } from '../../command.ts'
import type { Connection } from '../../connection/connection.ts'
import { environmentOf } from '../../connection/credentials.ts'
import { profilesFile, readProfiles } from '../../connection/profiles.ts'
import { outputOfServer } from '../../connection/server-process.ts'
import { personOf, signInCalls } from '../../connection/sign-in.ts'
import { type CallSource, reportOf, TO_DIAGNOSE } from '../../failures.ts'
import { io } from '../../terminal/io.ts'
import { printJson } from '../../terminal/output.ts'
import { coloured, plain, print, wrapped } from '../../terminal/terminal.ts'
import { shown } from '../../times.ts'
import { type Check, checkServer, failed, ok, skipped, warning } from './doctor-server.ts'

export function addDoctor(program: Command): void {
  addCommand(program, 'doctor', {
    summary: 'Check the connection to the server and the credentials, and say how to fix each fault.',
    description:
      'Exits with 0 if nothing is wrong, otherwise with the code of the first fault: 2 the address, 3 the credentials, 4 unreachable, 6 not ready, 1 the clock or a bucket. Buckets are checked where DATABASE_URL and MASTER_KEY are set as for the server.',
    examples: ['commonhold doctor', 'commonhold doctor --profile production --json'],
    async run({ options, connection }) {
      const checks: Check[] = []
      for await (const check of allChecks(connection)) {
        checks.push(check)
        if (options.json !== true) show(check)
      }
      const fault = checks.find(({ outcome }) => outcome === 'failed')
      if (options.json === true) printJson({ ok: fault === undefined, checks })
      return fault?.exit ?? 'done'
    },
  })
}

/** The width of the mark and the name of a check. */
const INDENT = 15

const MARKS = { ok: ['green', '✓'], warning: ['yellow', '!'], failed: ['red', '✗'], skipped: ['dim', '-'] } as const

function show({ check, outcome, says, next }: Check): void {
  const [colour, mark] = MARKS[outcome]
  const written = (text: string, indent: number) => wrapped(plain(text), indent, io().stdout)
  print(`${coloured(colour, mark)} ${coloured('bold', check.padEnd(12))} ${written(says, INDENT)}`)
  if (next !== undefined) print(`${' '.repeat(INDENT)}${coloured('cyan', '→')} ${written(next, INDENT + 2)}`)
}

async function* allChecks(connect: () => Connection): AsyncGenerator<Check> {
  yield* examine(connect)
  yield* buckets()
}

async function* examine(connect: () => Connection): AsyncGenerator<Check> {
  let connection: Connection
  try {
    yield ok('profiles', `${Object.keys(readProfiles().profiles).length} in ${profilesFile()}`)
  } catch (error) {
    yield faultOf('profiles', error)
    return
  }
  try {
    connection = connect()
  } catch (error) {
    yield faultOf('address', error)
    return
  }
  yield ok('address', connection.source)
  const isReachable = yield* checkServer(connection)
  if (!isReachable) return
  yield* credentials(connection)
}

/** The databases of the installation are checked only on the machine that has the settings of its server. */
async function* buckets(): AsyncGenerator<Check> {
  const { DATABASE_URL, MASTER_KEY } = io().env
  if (!DATABASE_URL || !MASTER_KEY) return
  const { stdout, stderr } = await outputOfServer(['buckets', 'check', '--json'], io().env)
  if (stdout === '')
    yield failed(
      'buckets',
      'no',
      stderr.trim().replace(/^commonhold: /, ''),
      'To repeat this check: commonhold buckets check',
    )
  else yield* JSON.parse(stdout) as Check[]
}

async function* credentials(connection: Connection): AsyncGenerator<Check> {
  const { session, server } = connection
  if (session !== undefined)
    yield await tried('person', connection, async () => {
      const { operator, endsAt } = await signInCalls(server).whoIsSignedIn(session.secret)
      return `${personOf(operator)}, ${operator.role}, until ${shown(endsAt)}`
    })
  if (connection.has('apiKey')) {
    const key = await tried('api key', connection, async () => {
      const { ownerEmail } = await connection.forKey().keyConfig.get()
      const environment = environmentOf(connection.apiKey ?? '') ?? 'unknown'
      return `${connection.apiKey}, ${environment}, of ${ownerEmail}`
    })
    yield key
    // Checks that need valid credentials would only repeat that they are invalid.
    const isValid = key.outcome !== 'failed'
    if (isValid) yield await defaultAccess(connection)
    if (isValid) yield await worthALook(connection)
    if (isValid && session === undefined)
      yield await tried('scopes', connection, async () => {
        await connection.forKey().events.list({ pageSize: 1 })
        return 'The auth token has all scopes.'
      })
  } else
    yield skipped(
      'api key',
      'None set: use commonhold login, or COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN, or a profile.',
    )
  if (connection.has('workspace'))
    yield await tried('workspace', connection, async () => {
      const { id, name } = await connection.forWorkspace().workspaces.get()
      return `${id} ${name}`
    })
  else
    yield skipped(
      'workspace',
      'None set: use commonhold login, or COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN, or a profile.',
    )
}

const VERBS = { viewer: 'view', commenter: 'comment on', editor: 'edit' } as const

/** Warns when documents are open to everyone unless somebody restricts them. */
async function defaultAccess(connection: Connection): Promise<Check> {
  try {
    const { defaultDocumentAccessType, defaultAccessRole } = await connection.forKey().keyConfig.get()
    if (defaultDocumentAccessType !== 'public') return ok('access', `The default is ${defaultDocumentAccessType}.`)
    return warning(
      'access',
      `The default is public: every user of the key can ${VERBS[defaultAccessRole]} documents and folders without an access type of their own.`,
      'This is fine if it is meant. Otherwise: commonhold settings set --default-access restricted',
    )
  } catch {
    return skipped('access', 'The settings of the key could not be read.')
  }
}

/** Warns when the server finds something that an administrator should look at; the default access has a check of its own. */
async function worthALook(connection: Connection): Promise<Check> {
  try {
    const { findings, isComplete } = await connection.forKey().findings.list()
    const others = findings.filter(({ kind }) => kind !== 'public_by_default')
    const [first] = others
    if (first === undefined) return ok('findings', 'Nothing is worth a look.')
    const count = `${others.length}${isComplete ? '' : ' or more'}`
    return warning(
      'findings',
      `${others.length === 1 ? 'One thing is' : `${count} things are`} worth a look, first: ${first.sentence}`,
      'To see all: commonhold findings list',
    )
  } catch {
    return skipped('findings', 'The findings could not be read. They need the scope "admin".')
  }
}

async function tried(check: string, connection: Connection, run: () => Promise<string>): Promise<Check> {
  try {
    return ok(check, await run())
  } catch (error) {
    if (error instanceof CommonholdError && error.status === 'PERMISSION_DENIED')
      return warning(
        check,
        error.explanation,
        'This is fine if the token is meant to be limited. To create one with more scopes: commonhold token create',
      )
    return faultOf(check, error, connection)
  }
}

function faultOf(check: string, error: unknown, source?: CallSource): Check {
  const { message, next = '', exitCode } = reportOf(error, source)
  return failed(
    check,
    exitCode === 4 ? 'unreachable' : exitCode === 3 ? 'credentials' : exitCode === 2 ? 'usage' : 'no',
    message,
    next.replace(TO_DIAGNOSE, '').trim(), // this is the diagnosis
  )
}
