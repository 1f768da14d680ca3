/** How an allowed domain is stored, and which can be allowed (rules/keys.md#allowed-domains). */
import { domainToAscii } from '../core/addresses.ts'

/** The requirement for a field with an allowed domain. */
export const MUST_BE_HOST = 'must be a host such as example.com or *.example.com'

/**
 * Converts `https://WWW.Example.com:8443/a` to `example.com` and `https://*.example.com` to `*.example.com`. Returns
 * null if the text is not a host.
 */
export function normalizeDomain(text: string): string | null {
  const host = text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
  const wildcard = host.startsWith('*.')
  const bare = wildcard ? host.slice(2) : host.replace(/^www\./i, '') // `*.www.example.com` without www. would allow more hosts
  const ascii = bare === '' || bare.includes('*') ? '' : domainToAscii(bare)
  if (ascii === '' || ascii.length > 253) return null
  return wildcard ? `*.${ascii}` : ascii
}

/** An IP address in a normalized domain. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[\d.:a-f]+\])$/

/** A label of a host. Browsers also accept an underscore. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Names without a registry, so that a wildcard below them reaches nobody else. */
const LOCAL_NAMES = ['localhost', 'local', 'internal', 'test']

/** Names below which the registries of countries register, such as `co.uk` and `com.au`. */
const REGISTRY_OF_COUNTRY =
  /^(ac|co|com|edu|go|gob|gov|gouv|govt|gv|id|ind|info|ltd|me|mil|ne|net|nic|nom|or|org|plc|sch|web)\.[a-z]{2}$/

/**
 * Returns why a normalized domain cannot be allowed; undefined if it can. Null stands for a text that is not a host. Domains
 * that were allowed earlier can always be deleted.
 */
export function domainFault(domain: string | null): string | undefined {
  if (domain === null) return MUST_BE_HOST
  const isWildcard = domain.startsWith('*.')
  const host = isWildcard ? domain.slice(2) : domain
  const isAddress = ADDRESS.test(host)
  if (!isAddress && !host.split('.').every((label) => LABEL.test(label))) return MUST_BE_HOST
  if (!isWildcard) return undefined
  if (isAddress) return 'must not have a wildcard before an IP address'
  const isRegistry = !host.includes('.') ? !LOCAL_NAMES.includes(host) : REGISTRY_OF_COUNTRY.test(host)
  return isRegistry
    ? 'must not allow everybody who registers a name there; use *. before a domain of your own'
    : undefined
}
