/** The failure of a permission provider, which is never taken for a denial (rules/access.md#permission-providers). */
import type { ProviderFailure } from '#contract/access/permission-provider.ts'

export class ProviderFailed extends Error {
  readonly failure: ProviderFailure

  /** `what` completes the sentence “The permission provider of the API key …”, which the user reads: it names no address. */
  constructor(failure: ProviderFailure, what: string) {
    super(`The permission provider of the API key ${what}.`)
    this.failure = failure
  }
}
