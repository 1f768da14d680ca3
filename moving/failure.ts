/** The failure of an export or import that a person can fix. */

/** Ends an export or import: the message says what was wrong, `next` what to do about it. */
export class MovingFailure extends Error {
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}
