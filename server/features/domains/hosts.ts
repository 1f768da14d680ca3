/** Normalizes and matches the allowed domains of pages that call with user tokens (rules/keys.md#allowed-domains). */
import { isIP } from 'node:net'
import { MUST_BE_HOST, normalizeDomain } from '#contract/keys/domain-names.ts'
import { invalidArgument } from '#platform/status-error.ts'

export const LOCAL_HOSTS = ['localhost', '127.0.0.1']

/** Returns whether the origin of an `Origin` header is one of these hosts. */
export function allowsOrigin(allowedDomains: readonly string[], origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? ''
  const stored = normalizeDomain(host)
  return allowedDomains.some((domain) =>
    domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : stored !== null && domain === stored,
  )
}

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
  const isAddress = isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
  if (!isAddress && !host.split('.').every((label) => LABEL.test(label))) return MUST_BE_HOST
  if (!isWildcard) return undefined
  if (isAddress) return 'must not have a wildcard before an IP address'
  const isRegistry = !host.includes('.') ? !LOCAL_NAMES.includes(host) : REGISTRY_OF_COUNTRY.test(host)
  return isRegistry
    ? 'must not allow everybody who registers a name there; use *. before a domain of your own'
    : undefined
}

/** Normalizes domains like `normalizeDomains`, and refuses domains that cannot be allowed. */
export const allowableDomains = (field: string, domains: readonly string[]): string[] =>
  normalizeDomains(field, domains, domainFault)

/**
 * Normalizes and deduplicates domains, keeping their order. Throws INVALID_ARGUMENT that names every item of `field`
 * that is not a host, or has a fault.
 */
export function normalizeDomains(
  field: string,
  domains: readonly string[],
  faultOf: (domain: string) => string | undefined = () => undefined,
): string[] {
  const faults: { field: string; message: string }[] = []
  const normalized = domains.map((domain, index) => {
    const at = `${field}[${index}]`
    const host = normalizeDomain(domain)
    const fault = host === null ? MUST_BE_HOST : faultOf(host)
    if (fault !== undefined) faults.push({ field: at, message: `${at} ${fault}` })
    return host ?? ''
  })
  if (faults.length > 0) throw invalidArgument(faults)
  return [...new Set(normalized)]
}
