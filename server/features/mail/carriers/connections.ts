/**
 * Finds how many connections a mail server accepts from this process at the same time. Many accept fewer than we would
 * open, such as three, and refuse the others before they take a mail. That says nothing about the mail: it waits for a
 * connection that is accepted, instead of being tried again later and later until it is given up.
 */

/** A mail that finds no connection within this time is tried again later. */
const WAIT_MS = 15_000
/** After this time without a refusal, one more connection is tried. */
const GROW_MS = 60_000

/** Codes with which servers refuse a connection, or a mail because of other connections. */
const TOO_MANY = [421, 432]

export interface SmtpError extends Error {
  responseCode?: number
  /** The command that was refused; `CONN` is the connection. */
  command?: string
}

export class MailConnections {
  readonly #max: number
  #allowed: number
  #used = 0
  #changedAt = performance.now()
  readonly #waiting = new Set<() => void>()

  constructor(max: number) {
    this.#max = max
    this.#allowed = max
  }

  /**
   * Runs `send` when a connection may be used. Runs it again if its connection was refused while others are open, which
   * `isBeforeMail` tells: the server has not seen the mail.
   */
  async use<T>(send: () => Promise<T>, isBeforeMail: (error: SmtpError) => boolean): Promise<T> {
    for (;;) {
      await this.#enter()
      try {
        const sent = await send()
        this.#grow()
        return sent
      } catch (error) {
        const { responseCode = 0 } = error as SmtpError
        const isBefore = responseCode >= 400 && responseCode < 500 && isBeforeMail(error as SmtpError)
        if (!isBefore && !TOO_MANY.includes(responseCode)) throw error
        const areOthersOpen = this.#used > 1
        if (areOthersOpen) this.#shrink()
        if (!isBefore || !areOthersOpen) throw error
      } finally {
        this.#used--
        this.#admit()
      }
    }
  }

  async #enter(): Promise<void> {
    if (this.#used < this.#allowed) return void this.#used++
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve)
      reject(new Error(`The mail server accepts ${this.#allowed} connections, and all of them are in use.`))
    }, WAIT_MS)
    await promise.finally(() => clearTimeout(timer))
  }

  /** Gives what is free to those who wait, the longest first. */
  #admit(): void {
    for (const resolve of this.#waiting) {
      if (this.#used >= this.#allowed) return
      this.#waiting.delete(resolve)
      this.#used++
      resolve()
    }
  }

  #shrink(): void {
    this.#allowed = Math.max(1, Math.min(this.#allowed, this.#used) - 1)
    this.#changedAt = performance.now()
  }

  #grow(): void {
    if (this.#allowed === this.#max || performance.now() - this.#changedAt < GROW_MS) return
    this.#allowed++
    this.#changedAt = performance.now()
  }
}
