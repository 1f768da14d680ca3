/** Reads the values of settings from their text. An invalid value is a `ConfigError` with one sentence. */
import { BlockList, isIP } from 'node:net'
import { parseMoment } from '#contract/core/moments.ts'
import { readPostgresUrl } from '#platform/db/postgres-url.ts'

export class ConfigError extends Error {}

export type Read<Value> = (text: string, name: string) => Value

export interface Setting<Value> {
  /** Null: no value. */
  default: string | null
  description: string
  read: Read<Value>
}

export const setting = <Value>(fallback: string | null, description: string, read: Read<Value>): Setting<Value> => ({
  default: fallback,
  description,
  read,
})

const fail = (name: string, must: string): never => {
  throw new ConfigError(`${name} must ${must}.`)
}

export const text: Read<string> = (value) => value
export const matching =
  (pattern: RegExp, must: string): Read<string> =>
  (value, name) =>
    pattern.test(value) ? value : fail(name, must)
export const secret = matching(/^[\x21-\x7e]{16,}$/, 'have at least 16 printable characters and no spaces')
export const flag: Read<boolean> = (value, name) =>
  value === 'true' ? true : value === 'false' ? false : fail(name, 'be true or false')
export const whole =
  (min: number, max: number): Read<number> =>
  (value, name) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : fail(name, `be a whole number from ${min} to ${max}`)
export const oneOf =
  <const Value extends string>(...values: Value[]): Read<Value> =>
  (value, name) =>
    values.find((known) => known === value) ?? fail(name, `be one of ${values.join(', ')}`)

export const key: Read<Buffer> = (value, name) => {
  const bytes = Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? 'hex' : 'base64')
  return bytes.length === 32
    ? bytes
    : fail(name, 'be 32 bytes as base64 or as 64 hex digits; create one with: openssl rand -base64 32')
}

export const keys: Read<Buffer[]> = (value, name) => value.split(',').map((one) => key(one.trim(), name))

/** Returns whether a range of IPv6 has every address of IPv4, as `::ffff:0:0/96` does: proxies are compared in this form too. */
function hasAllOfIpv4(address: string, bits: number): boolean {
  const range = new BlockList()
  range.addSubnet(address, bits, 'ipv6')
  return ['0.0.0.0', '255.255.255.255'].every((end) => range.check(`::ffff:${end}`, 'ipv6'))
}

export const proxies: Read<string[]> = (value, name) => {
  const list = value.split(',').map((part) => part.trim())
  const isProxy = (part: string) => {
    if (['loopback', 'linklocal', 'uniquelocal'].includes(part)) return true
    const [address = '', bits, more] = part.split('/')
    const kind = isIP(address)
    if (kind === 0 || more !== undefined) return false
    if (bits === undefined) return true
    // Zero bits would trust every address; Fastify also refuses that.
    if (!/^[1-9]\d{0,2}$/.test(bits) || Number(bits) > (kind === 4 ? 32 : 128)) return false
    return kind === 4 || !hasAllOfIpv4(address, Number(bits))
  }
  return list.every(isProxy)
    ? list
    : fail(name, 'be addresses or ranges such as 10.0.0.0/8, or loopback, separated by commas')
}

/** Parses a URL that names one host; `URL` itself also accepts lists of them. */
const parseUrl = (value: string): URL | null => {
  const url = URL.parse(value)
  return url === null || url.hostname === '' || /,|%2c/i.test(url.hostname) ? null : url
}

export const nameServers: Read<string[]> = (value, name) => {
  const list = value.split(',').map((server) => server.trim())
  const isServer = (server: string) => {
    const [, address = server, port] =
      /^(?:\[(.+)\]|([\d.]+)):(\d+)$/.exec(server)?.filter((found) => found !== undefined) ?? []
    return isIP(address) !== 0 && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535))
  }
  return list.every(isServer)
    ? list
    : fail(name, 'be IP addresses of name servers, such as 192.0.2.53 or 192.0.2.53:5353, separated by commas')
}

export const postgresUrl: Read<string> = (value, name) => {
  try {
    readPostgresUrl(value)
    return value
  } catch (error) {
    return fail(name, (error as Error).message)
  }
}

export const webAddress: Read<string> = (value, name) => {
  const url = parseUrl(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === ''
    ? url.origin
    : fail(name, 'be an http or https address without a path, such as https://api.example.com')
}

export const collector: Read<string> = (value, name) => {
  const url = parseUrl(value)
  return url !== null && /^https?:$/.test(url.protocol)
    ? value
    : fail(name, 'be an http or https address, such as http://127.0.0.1:4318')
}

export const part: Read<number> = (value, name) =>
  /^(0|1|[01]?\.\d{1,9})$/.test(value) && Number(value) <= 1 ? Number(value) : fail(name, 'be a number from 0 to 1')
export const moment: Read<Date> = (value, name) => {
  const found = parseMoment(value)
  return 'must' in found ? fail(name, found.must) : new Date(found.milliseconds)
}

export const smtpServer: Read<string> = (value, name) => {
  const url = parseUrl(value)
  // Of a password with such a character, only the part before it would be read, and the rest would be a host or options.
  const isRead = url !== null && /^\/?$/.test(url.pathname) && url.hash === '' && !url.search.includes('@')
  return isRead && /^smtps?:$/.test(url.protocol)
    ? value
    : fail(name, 'start with smtp:// or smtps:// and name a server; / ? # @ in a password are %2F %3F %23 %40')
}
