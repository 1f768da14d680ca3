/** The words of the contract that begin with the name of the service: with another `HEADER_PREFIX` they begin with that word. */

/** The words of one installation. */
export interface Words {
  /** `agentSource` of agents of the service. */
  service: string
  /** The field of an access context that stands for one user. */
  privateSelf: string
  /** Returns the key of the result of a thread that was denied and had no id. */
  denied(index: number): string
}

export const wordsOf = (headerPrefix: string): Words => ({
  service: headerPrefix,
  privateSelf: `__${headerPrefix}_private_self`,
  denied: (index) => `__${headerPrefix}_denied:${index}`,
})
