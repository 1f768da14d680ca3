/** Domains as the DNS has them, by the parser of URLs, which servers and browsers have alike. */

/** Returns a domain in lower case and with Punycode for other letters; empty: it is no domain. */
export function domainToAscii(domain: string): string {
  // A setter that refuses its value keeps the previous one.
  for (const other of ['a', 'b']) {
    const url = new URL(`ws://${other}`)
    url.hostname = domain
    if (url.hostname !== other) return url.hostname
  }
  return ''
}
