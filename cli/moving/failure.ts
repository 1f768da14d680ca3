/** The failure of an export or import that a person can fix. */
import { Failure } from '../failures.ts'

/** Ends an export or import: the message says what was wrong, `next` what to do about it. */
export class MovingFailure extends Failure {
  declare readonly next: string

  constructor(message: string, next: string) {
    super('usage', message, next)
  }
}
