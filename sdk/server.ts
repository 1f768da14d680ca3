/** The server that a client calls: its address and the names of its headers, validated before the first call. */
import type { ServerOptions } from './options.ts'

export interface Server {
  /** The URL of the server, without a trailing slash. */
  url: string
  /** Returns the full name of a header: `header('api-key')` is `x-service-api-key`. */
  header(name: string): string
}

export function serverOf({ url, headerPrefix = 'service' }: ServerOptions): Server {
  if (!/^[a-z0-9](-?[a-z0-9])*$/.test(headerPrefix))
    throw new TypeError(
      'headerPrefix must be lower-case letters, digits and single hyphens, like HEADER_PREFIX of the server',
    )
  return { url: baseOf(url), header: (name) => `x-${headerPrefix}-${name}` }
}

/** Returns the address without a trailing slash. Throws for anything that is not an address, and for the usual mistakes. */
function baseOf(url: string): string {
  const example = 'such as https://commonhold.example.com'
  if (!URL.canParse(url))
    throw new TypeError(`url must be the address of the server, ${example}; it is ${JSON.stringify(url)}`)
  const { protocol, username, search, hash, origin, pathname } = new URL(url)
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`url must begin with http:// or https://, ${example}; it is ${url}`)
  if (username !== '' || search !== '' || hash !== '')
    throw new TypeError('url must be the address alone, without a user name, query or fragment')
  const base = origin + pathname.replace(/\/+$/, '')
  if (/\/v2(\/|$)/.test(pathname))
    throw new TypeError(`url must be the address of the server without /v2; it is ${base}`)
  return base
}

/** Returns a credential as a header value. Throws, without showing the value, if it cannot be one. */
export function credential(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`)
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name} has white space or other characters that no credential has: was it copied completely?`)
  return value
}
