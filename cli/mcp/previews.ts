/** Remembers previewed changes with their effects, so that exactly these can be made, once, for a limited time. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '#contract/core/operation.ts'
import type { KeyedCallOptions, Page } from '#sdk/options.ts'
import { Failure } from '../failures.ts'
import type { PlannedCall } from './access-change.ts'

const PREVIEW_SECONDS = 600

/** The oldest is forgotten first: a preview can have a thousand lines. */
const PREVIEWS_MAX = 50

/** Calls operations, as the context of a tool does. */
export interface Calls {
  /** Calls an operation and returns its result, or one page of it. Refuses a key that this server may not use. */
  call(operation: Operation, data: object, options?: KeyedCallOptions): Promise<Page<unknown>>
}

/** The result of a preview. */
export interface Plan {
  /** The calls that make the change. */
  calls: readonly PlannedCall[]
  /** The effect that the person was shown, such as who would gain and lose access. */
  outcome: unknown
  /** Returns the effect that the person would be shown now. */
  outcomeNow(context: Calls): Promise<unknown>
}

interface Preview extends Plan {
  change: object
  /** In the time of a monotonic clock, which setting the system's time does not change. */
  atMs: number
}

/**
 * The tokens are valid only in this process: a token of another server, of another API key or of an earlier run is
 * unknown here.
 */
export class Previews {
  readonly #byToken = new Map<string, Preview>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Returns the token that identifies the change and its effect. */
  remember(change: object, plan: Plan): string {
    const token = randomUUID()
    this.#byToken.set(token, { ...plan, change, atMs: this.#nowMs() })
    const [oldest] = this.#byToken.keys()
    if (this.#byToken.size > PREVIEWS_MAX && oldest !== undefined) this.#byToken.delete(oldest)
    return token
  }

  /**
   * Returns the calls of the change that was previewed with the token, if it is the given one, the preview is not too old and the change
   * would still do the same. The token cannot be used again, unless the given change was another. Throws a `Failure` otherwise.
   */
  async use(token: string, given: object, context: Calls): Promise<readonly PlannedCall[]> {
    const preview = this.#byToken.get(token)
    if (preview === undefined) throw refusal('This token is not from a preview of this server, or it was used already.')
    if (!isDeepStrictEqual(preview.change, given))
      throw refusal('This is not the change that was previewed with this token.')
    this.#byToken.delete(token)
    if (this.#nowMs() - preview.atMs > PREVIEW_SECONDS * 1_000)
      throw refusal(`The preview is older than ${PREVIEW_SECONDS / 60} minutes.`)
    if (!isDeepStrictEqual(await preview.outcomeNow(context), preview.outcome))
      throw refusal('Access or the thread has changed since the preview: the change would now have another effect.')
    return preview.calls
  }
}

/** Returns the token of a preview for its result, or why the change cannot be made. */
export const previewed = (
  { previews }: { previews: Previews },
  change: object,
  plan: Plan,
  refused: string | undefined,
) =>
  refused === undefined
    ? { previewToken: previews.remember(change, plan), validForSeconds: PREVIEW_SECONDS }
    : { cannotBeApplied: refused }

/** Returns why a server that was not started for changes makes none. */
export const whyReadOnly = ({ allowed }: { allowed: { changes: boolean } }): string | undefined =>
  allowed.changes
    ? undefined
    : 'This server only reads. A person can start it with --allow-changes, or make the change in the console or on the command line.'

const refusal = (message: string): Failure =>
  new Failure('refused', `${message} Nothing was changed.`, 'Preview the change again.')
