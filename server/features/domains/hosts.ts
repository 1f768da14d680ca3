/** Normalizes and matches the allowed domains of pages that call with user tokens (rules/keys.md#allowed-domains). */
import { domainFault, MUST_BE_HOST, normalizeDomain } from '#contract/keys/domain-names.ts'
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
