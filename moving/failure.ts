/** The failure of an export or import that a person can fix. */

/** Reasons whose remedy differs between the command line and the console. */
export type MovingReason = 'answers' | 'compressed' | 'no_export' | 'of_workspace'

/** Ends an export or import: the message says what was wrong, `next` what to do about it, in words of the command line. */
export class MovingFailure extends Error {
  readonly next: string
  readonly reason: MovingReason | undefined

  constructor(message: string, next: string, reason?: MovingReason) {
    super(message)
    this.next = next
    this.reason = reason
  }
}
