/** Why moving data in or out ended early: what was wrong, and what to do next. */
export class MovingFailure extends Error {
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}
