/** Remembers previewed changes with their effects, so that exactly these can be made, once, for a limited time. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../failures.ts'
import type { AccessChange } from './access-change.ts'

export const PREVIEW_SECONDS = 600

/** The oldest is forgotten first: a preview can have a thousand lines. */
const PREVIEWS_MAX = 50

interface Preview {
  change: AccessChange
  /** The result of the simulation: who would gain and lose access to which resources. */
  outcome: unknown
  /** On a clock that no setting of the time moves. */
  atMs: number
}

/**
 * The tokens mean something to this process alone: a token of another server, of another API key or of an earlier run is
 * unknown here.
 */
export class Previews {
  readonly #byToken = new Map<string, Preview>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Returns the token that identifies the change and its effect. */
  remember(change: AccessChange, outcome: unknown): string {
    const token = randomUUID()
    this.#byToken.set(token, { change, outcome, atMs: this.#nowMs() })
    const [oldest] = this.#byToken.keys()
    if (this.#byToken.size > PREVIEWS_MAX && oldest !== undefined) this.#byToken.delete(oldest)
    return token
  }

  /**
   * Returns the change that was previewed with the token, if it is the given one, the preview is not too old and the change
   * would still do the same. The token cannot be used again, unless the given change was another. Throws a `Failure` otherwise.
   */
  async use(
    token: string,
    given: object,
    outcomeNow: (change: AccessChange) => Promise<unknown>,
  ): Promise<AccessChange> {
    const preview = this.#byToken.get(token)
    if (preview === undefined) throw refusal('This token is of no preview of this server, or it was used already.')
    if (!isDeepStrictEqual(preview.change, given))
      throw refusal('This is not the change that was previewed with this token.')
    this.#byToken.delete(token)
    if (this.#nowMs() - preview.atMs > PREVIEW_SECONDS * 1_000)
      throw refusal(`The preview is older than ${PREVIEW_SECONDS / 60} minutes.`)
    if (!isDeepStrictEqual(await outcomeNow(preview.change), preview.outcome))
      throw refusal('Access has changed since the preview: the change would do something else now.')
    return preview.change
  }
}

const refusal = (message: string): Failure =>
  new Failure('refused', `${message} Nothing was changed.`, 'Preview the change again with preview_change.')
