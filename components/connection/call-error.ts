/** A failed call, and the text about it. */
import type { Say } from '../words/texts.ts'

/** The status of the server, or `UNREACHABLE` when no response came. */
export class CallError extends Error {
  readonly status: string
  readonly reason: string | undefined

  constructor(status: string, message: string, reason?: string) {
    super(message)
    this.name = 'CallError'
    this.status = status
    this.reason = reason
  }
}

/** Says why a call failed. `reading`: it was about seeing comments, not about changing any. */
export function sayError(error: unknown, say: Say, reading = false): string {
  const message = error instanceof Error ? error.message : String(error)
  switch (error instanceof CallError ? error.status : '') {
    case 'UNREACHABLE':
    case 'UNAVAILABLE':
      return say('unreachable')
    case 'UNAUTHENTICATED':
      return say('signedOut')
    case 'RESOURCE_EXHAUSTED':
      return say('busy')
    case 'PERMISSION_DENIED':
      // Whoever builds the page must see that its host is not allowed yet.
      if (reasonOf(error) === 'origin_not_allowed') return say('failed', { message })
      return reading ? say('forbidden') : say('mayNot', { message })
    case 'NOT_FOUND':
      return reading ? say('forbidden') : say('gone')
    default:
      return say('failed', { message })
  }
}

const reasonOf = (error: unknown): string | undefined => (error instanceof CallError ? error.reason : undefined)
