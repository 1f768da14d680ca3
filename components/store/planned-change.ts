/** A change of sharing as the user has chosen it: its expiry and its user stay the same through the preview and all attempts to make it. */
import { isKept, newKey } from '../connection/attempts.ts'
import type { Outcome, Wish } from '../connection/sharing.ts'
import type { SharingStore } from './sharing.ts'

export class PlannedChange {
  readonly wishes: readonly Wish[]
  /** The user who chose it: the server refuses it from another user. */
  readonly userId: string | undefined
  outcome: Outcome | undefined
  error: unknown
  isApplying = false
  readonly #store: SharingStore
  #turns = 0
  /** The attempts of which the result is not known. They have the same key and body. */
  #attempt: { key: string; allowLosingOwnAccess: boolean } | undefined

  constructor(store: SharingStore, wishes: readonly Wish[]) {
    this.#store = store
    this.wishes = wishes
    this.userId = store.sharing?.user.userId
  }

  async preview(): Promise<void> {
    const turn = ++this.#turns
    try {
      const outcome = await this.#store.preview(this)
      if (turn !== this.#turns) return
      this.outcome = outcome
      this.error = undefined
    } catch (error) {
      if (turn === this.#turns) this.error = error
    }
  }

  /** Makes the change that the preview showed. Returns undefined when that failed. */
  async apply(): Promise<Outcome | undefined> {
    const { outcome } = this
    if (outcome === undefined || this.isApplying) return undefined
    this.#turns++
    const allowLosingOwnAccess = !outcome.user.canShare
    if (this.#attempt?.allowLosingOwnAccess !== allowLosingOwnAccess)
      this.#attempt = { key: newKey(), allowLosingOwnAccess }
    this.isApplying = true
    this.error = undefined
    try {
      return await this.#store.apply(this, this.#attempt)
    } catch (error) {
      this.error = error
      if (isKept(error)) this.#attempt = undefined
      return undefined
    } finally {
      this.isApplying = false
    }
  }

  /** Whether the change may have been made although no response came: only the same attempt again can tell. */
  get isUncertain(): boolean {
    return this.#attempt !== undefined
  }
}
