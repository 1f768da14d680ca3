/** Looks up TXT records in the DNS, with a short timeout. */
import { Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 3_000
const TRIES = 2

/** The codes of responses of name servers that say that the record does not exist. */
const NONE = ['ENOTFOUND', 'ENODATA']

/** No name server has answered. `code` says why. */
export class DnsFailed extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the DNS did not answer: ${code}`)
    this.code = code
  }
}

/** Returns the TXT records of a name, none if it has none. Throws `DnsFailed`. */
export type LookUpTxt = (name: string) => Promise<string[]>

/** `servers` are the addresses of name servers, with ports; undefined: those of this machine. */
export function createTxtLookup(servers: readonly string[] | undefined): LookUpTxt {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      const { code = 'error' } = error as { code?: string }
      if (NONE.includes(code)) return []
      throw new DnsFailed(code)
    }
  }
}
