/** What goes wrong, for people: one sentence about what was wrong, one about what to do next, and the exit code. */
import { CommonholdError } from '#sdk/errors.ts'
import { VerificationError } from '#sdk/verification.ts'
import { type Exit, exitCode } from './exit-codes.ts'

/** A failure that this program found itself. */
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

export const wrongUsage = (message: string, next?: string): Failure => new Failure('usage', message, next)

/** A failure as it is shown, and as `--json` writes it. */
export interface Report {
  exitCode: number
  status?: string
  reason: string
  message: string
  next?: string
  details?: unknown
  requestId?: string
}

/** `source` says where the address and the credentials came from. */
export function reportOf(error: unknown, source = ''): Report {
  if (error instanceof Failure)
    return { exitCode: exitCode(error.exit), reason: error.exit, message: error.message, next: error.next }
  if (error instanceof CommonholdError) return ofCall(error, source)
  if (error instanceof VerificationError)
    return { exitCode: exitCode('no'), reason: String(error.reason), message: error.message }
  if (isAbort(error)) return { exitCode: exitCode('interrupted'), reason: 'interrupted', message: 'Interrupted.' }
  if (isOfFile(error))
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
    next: 'This is a fault of commonhold: please report it.',
  }
}

function ofCall(error: CommonholdError, source: string): Report {
  const { status, reason, details, requestId } = error
  return {
    exitCode: exitCode(EXITS[reason] ?? EXITS[status] ?? 'broken'),
    status,
    reason,
    message: OWN_WORDS[reason]?.(error) ?? error.message,
    ...nextOf(error, source),
    ...(details === undefined ? {} : { details }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** By reason where that says more than the status. */
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

/** Where the words of the client are for those who program with it. */
const OWN_WORDS: Readonly<Record<string, (error: CommonholdError) => string>> = {
  timed_out: ({ message }) => message.replace(/ timeoutMs and tryTimeoutMs .*$/, ''),
  unreachable: ({ message }) => message.replace(/ Is the server running, .*$/, ''),
  header_missing: ({ message }) => message.replace(/ The client sends .*$/, ''),
}

function nextOf({ reason, status }: CommonholdError, source: string): { next?: string } {
  const by: Readonly<Record<string, string>> = {
    unreachable: `Is the server running, and is the address right? ${source} To look into it: commonhold doctor`,
    gateway_failed: `Is the server behind it running? ${source} To look into it: commonhold doctor`,
    not_commonhold: `${source} To look into it: commonhold doctor`,
    timed_out: '--timeout SECONDS waits longer. To look into it: commonhold doctor',
    header_missing: `A server with another HEADER_PREFIX needs the same in COMMONHOLD_HEADER_PREFIX, or in the profile. ${source}`,
    PERMISSION_DENIED: `A token with more scopes: commonhold token create. ${source}`,
    UNAUTHENTICATED: `${source} To look into it: commonhold doctor`,
    RESOURCE_EXHAUSTED: 'Wait, and try again.',
    INTERNAL: 'The log of the server says more, under the request id.',
  }
  const next = (by[reason] ?? by[status] ?? '').trim()
  return next === '' ? {} : { next }
}

/** What the disk refuses, or where a name leads nowhere, is for whoever gave the name. */
const OF_FILES = ['EACCES', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']
const isOfFile = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && OF_FILES.includes(String((error as NodeJS.ErrnoException).code))

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
