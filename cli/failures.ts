/** Describes failures: one sentence about what was wrong, one about what to do next, and the exit code. */
import { MovingFailure } from '#moving/failure.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { VerificationError } from '#sdk/verification.ts'
import { type Exit, exitCode } from './exit-codes.ts'
import { changes, isStarting, isUncertain } from './uncertainty.ts'

/** A failure that this program detected itself. */
export class Failure extends Error {
  readonly exit: Exit
  /** What to do next. */
  readonly next: string | undefined

  constructor(exit: Exit, message: string, next?: string) {
    super(message)
    this.exit = exit
    this.next = next
  }
}

/** The advice about a command that is written wrongly. */
export const SEE_HELP = 'For the usage, add --help.'
/** Advice about a server that is starting. */
export const TO_WAIT = 'Repeat it in a few seconds. The log of the server says what it waits for.'
/** Advice of every command but `doctor` itself. */
export const TO_DIAGNOSE = 'To diagnose it: commonhold doctor'

export const wrongUsage = (message: string, next?: string): Failure => new Failure('usage', message, next)

/** A failure as it is printed, also with `--json`. */
export interface Report {
  exitCode: number
  status?: string
  reason: string
  message: string
  next?: string
  details?: unknown
  requestId?: string
}

/** Where the address and the credentials of a call come from, in sentences, and who is signed in. */
export interface CallSource {
  source: string
  session?: { person: string } | undefined
  /** Whether calls with the API key are made with a token although somebody is signed in. */
  hasOwnToken?: boolean
}

export function reportOf(error: unknown, source?: CallSource): Report {
  if (error instanceof MovingFailure)
    return { exitCode: exitCode('usage'), reason: 'usage', message: error.message, next: error.next }
  if (error instanceof Failure)
    return { exitCode: exitCode(error.exit), reason: error.exit, message: error.message, next: error.next }
  if (error instanceof CommonholdError) return callReport(error, source)
  if (error instanceof VerificationError)
    return { exitCode: exitCode('no'), reason: String(error.reason), message: error.message }
  if (isAbort(error)) return { exitCode: exitCode('interrupted'), reason: 'interrupted', message: 'Interrupted.' }
  if (isFileError(error))
    return {
      exitCode: exitCode('usage'),
      reason: 'usage',
      message: `A file or folder cannot be used: ${error.message}.`,
    }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    exitCode: exitCode('broken'),
    reason: 'broken',
    message,
    next: 'This is a bug in commonhold: please report it.',
  }
}

function callReport(error: CommonholdError, source: CallSource = { source: '' }): Report {
  const { status, reason, details, requestId } = error
  return {
    exitCode: exitCode(EXITS[reason] ?? (isLimit(error) ? 'refused' : EXITS[status]) ?? 'broken'),
    status,
    reason,
    message: OWN_WORDS[reason]?.(error) ?? error.explanation,
    ...nextOf(error, source),
    ...(details === undefined ? {} : { details }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** Waiting does not help against every limit. */
const isLimit = ({ status, retryable }: CommonholdError): boolean => status === 'RESOURCE_EXHAUSTED' && !retryable

/** The exits by reason, where that is more specific than the status, otherwise by status. */
const EXITS: Readonly<Record<string, Exit>> = {
  unreachable: 'unreachable',
  timed_out: 'unreachable',
  gateway_failed: 'unreachable',
  not_commonhold: 'unreachable',
  answer_unreadable: 'unreachable',
  signup_closed: 'credentials',
  header_missing: 'credentials',
  UNAUTHENTICATED: 'credentials',
  PERMISSION_DENIED: 'credentials',
  INVALID_ARGUMENT: 'refused',
  FAILED_PRECONDITION: 'refused',
  NOT_FOUND: 'refused',
  ALREADY_EXISTS: 'refused',
  UNIMPLEMENTED: 'refused',
  ABORTED: 'later',
  RESOURCE_EXHAUSTED: 'later',
  UNAVAILABLE: 'later',
  DEADLINE_EXCEEDED: 'later',
}

/** Messages without the advice that the client gives to programmers; `nextOf` has that for the command line. */
const OWN_WORDS: Readonly<Record<string, (error: CommonholdError) => string>> = {
  timed_out: ({ explanation }) => explanation.replace(/ To allow more, .*$/, ''),
  unreachable: ({ explanation }) => explanation.replace(/ Is the server running, .*$/, ''),
  header_missing: ({ explanation }) => explanation.replace(/ The client sends .*$/, ''),
}

/** Advice for a signed-in person about a refusal. */
const nextOfPerson = (person: string): Readonly<Record<string, string>> => ({
  role_missing: `You are signed in as ${person}.`,
  sign_in_again: 'To confirm that it is you: commonhold login',
  UNAUTHENTICATED: `You were signed in as ${person}. To see whether you still are: commonhold whoami. To sign in again: commonhold login`,
})

/** How to find the right id, by the kind of thing that does not exist. */
const LIST = {
  organization: 'To list them: commonhold org list',
  folder: 'To list them: commonhold folder list --org ORGANIZATION',
  document: 'To list them: commonhold doc list --org ORGANIZATION',
  'user group': 'To list them: commonhold group list --org ORGANIZATION',
}

/** How to change what exists already, by its kind. */
const CHANGE: Readonly<Record<string, (id: string) => string>> = {
  folder: (id) => `To change it: commonhold folder update ${id} --org ORGANIZATION`,
  document: (id) => `To change it: commonhold doc update ${id} --org ORGANIZATION`,
  'user group': (id) => `To change it: commonhold group rename ${id} NAME --org ORGANIZATION`,
}

/** Returns what to do next about an item that was refused, by the sentence of the server, which names its kind. */
export function nextOfItem(id: string, message = ''): string | undefined {
  const [, , kind = '', what] =
    /^The (parent )?(organization|folder|document|user group) (does not exist|already exists)\.$/.exec(message) ?? []
  return what === 'already exists' ? CHANGE[kind]?.(id) : what && LIST[kind as keyof typeof LIST]
}

function nextOf(error: CommonholdError, { source, session, hasOwnToken }: CallSource): { next?: string } {
  const { reason, status } = error
  const by: Readonly<Record<string, string>> = {
    unreachable: `Is the server running, and is the address right? ${source} ${TO_DIAGNOSE}`,
    gateway_failed: `Is the server behind it running? ${source} ${TO_DIAGNOSE}`,
    not_commonhold: `${source} ${TO_DIAGNOSE}`,
    timed_out: `To wait longer: --timeout SECONDS. ${TO_DIAGNOSE}`,
    header_missing: `If the server has another HEADER_PREFIX, set COMMONHOLD_HEADER_PREFIX, or headerPrefix in the profile, to it. ${source}`,
    PERMISSION_DENIED: `To create a token with more scopes: commonhold token create. ${source}`,
    UNAUTHENTICATED: `${source} ${TO_DIAGNOSE}`,
    RESOURCE_EXHAUSTED: isLimit(error) ? '' : 'Wait, then retry.',
    too_much_inside: 'To list the folders in it: commonhold folder list --org ORGANIZATION',
    signup_closed:
      'Start the server with SIGNUP=token and a SIGNUP_TOKEN, then repeat with COMMONHOLD_SIGNUP_TOKEN set to it.',
    signup_token_wrong: 'Set COMMONHOLD_SIGNUP_TOKEN to that token, and repeat.',
    organization_does_not_exist: LIST.organization,
    folder_does_not_exist: LIST.folder,
    parent_does_not_exist: LIST.folder,
    document_does_not_exist: LIST.document,
    user_group_does_not_exist: LIST['user group'],
    api_key_does_not_exist: 'To list them: commonhold key list',
    advanced_webhooks_disabled: 'To enable them: commonhold webhooks enable',
    webhook_endpoint_does_not_exist: 'To list them: commonhold webhooks endpoints',
    INTERNAL: 'See the log of the server, under the request id.',
    ...(session === undefined || hasOwnToken ? {} : nextOfPerson(session.person)),
  }
  if (isStarting(error)) return { next: TO_WAIT }
  const look = changes(error.operation) && isUncertain(error)
  const next =
    `${look ? 'The change may have been made: look before you repeat it. ' : ''}${by[reason] ?? by[status] ?? ''}`.trim()
  return next === '' ? {} : { next }
}

/** Errors of the file system that are about a name on the command line, and so wrong usage, not bugs. */
const FILE_ERRORS = ['EACCES', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']
const isFileError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && FILE_ERRORS.includes(String((error as NodeJS.ErrnoException).code))

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
