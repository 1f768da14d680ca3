/** Parses the URL of PostgreSQL like libpq and the driver, before anything connects, so that a wrong URL can be refused with a sentence. */
import pg from 'pg'

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  host: string
  port: number
}

export interface PostgresHost extends PostgresAddress {
  /** A URL that names this host alone, as the driver reads it. */
  url: string
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?/

const MALFORMED =
  'be a URL such as postgres://user:password@host:5432/commonhold; write the characters :/?#@% of a user or a password as %3A and so on'

/** More hosts would only delay finding the primary. */
const HOSTS_MAX = 16

/** The values of `target_session_attrs` of libpq that the primary fits. */
const TARGETS = new Set(['any', 'read-write', 'primary'])

/** Parameters of libpq that choose among hosts, which the driver does not know and would send to the server. */
const CHOOSING = ['host', 'port', 'target_session_attrs', 'load_balance_hosts']

/**
 * Returns the hosts that a URL names, in its order, each once: in `host1:5432,host2:5433` or in `?host=…&port=…`.
 * Throws an error whose message is the end of a sentence about what the URL must be, and never contains the password.
 */
export function readPostgresUrl(url: string): [PostgresHost, ...PostgresHost[]] {
  const [, scheme, user, authority, database, query] = AUTHORITY.exec(url) ?? []
  if (scheme === undefined) throw new Error('start with postgres://')
  if (url === scheme) throw new Error('name a host, such as postgres://user:password@host:5432/commonhold')
  const parameters = new URLSearchParams(query)
  refuseOtherTargets(parameters)
  const named = parameters.get('host') ?? decoded(authority ?? '')
  const hosts = named.includes(',') ? named.split(',') : undefined
  if (hosts === undefined) return [readOne(withoutTarget(url, parameters))]
  if (hosts.length > HOSTS_MAX) throw new Error(`name at most ${HOSTS_MAX} hosts`)
  const given = parameters.get('host') === null ? hosts.map(splitPort) : hosts.map((host) => ({ host, port: '' }))
  const ports = portsFor(given, parameters.get('port'))
  for (const name of CHOOSING) parameters.delete(name)
  const found = given.map(({ host }, index) => {
    if (host === '') throw new Error('name each of its hosts, separated by single commas')
    const own = new URLSearchParams(parameters)
    own.set('host', host)
    if (ports[index]) own.set('port', ports[index])
    return readOne(`${scheme}${user}${database ?? '/'}?${own}`)
  })
  return [...new Map(found.map((one) => [placeOf(one), one])).values()] as [PostgresHost, ...PostgresHost[]]
}

/** Commonhold reads and writes on the primary alone, so a URL that asks for another server is a mistake. */
function refuseOtherTargets(parameters: URLSearchParams): void {
  const target = parameters.get('target_session_attrs')
  if (target !== null && !TARGETS.has(target))
    throw new Error('have target_session_attrs=read-write, or none: Commonhold works on the primary alone')
  if (parameters.has('hostaddr')) throw new Error('have no hostaddr: write the addresses as hosts')
}

/** Returns the URL without the parameters that only libpq knows. */
function withoutTarget(url: string, parameters: URLSearchParams): string {
  if (!parameters.has('target_session_attrs') && !parameters.has('load_balance_hosts')) return url
  const kept = new URLSearchParams(parameters)
  for (const name of ['target_session_attrs', 'load_balance_hosts']) kept.delete(name)
  return `${url.slice(0, url.indexOf('?'))}${kept.size === 0 ? '' : `?${kept}`}`
}

function decoded(authority: string): string {
  try {
    return decodeURIComponent(authority)
  } catch {
    throw new Error(MALFORMED)
  }
}

/** Splits `host:port`, where an IPv6 address is in brackets. */
function splitPort(text: string): { host: string; port: string } {
  const [, address, host = address, port = ''] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(text) ?? []
  if (host === undefined) throw new Error(MALFORMED)
  return { host, port }
}

/** Returns the port of each host. As in libpq, `?port=` has one for all of them or one for each. */
function portsFor(hosts: readonly { port: string }[], parameter: string | null): string[] {
  if (parameter === null) return hosts.map(({ port }) => port)
  const ports = parameter.split(',')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error('name one port for all hosts, or as many ports as hosts')
  return hosts.map((_, index) => (ports.length === 1 ? parameter : (ports[index] ?? '')))
}

function readOne(url: string): PostgresHost {
  const { host, port } = readByDriver(url)
  // The driver takes the host from the environment if the URL has none.
  if (host.includes(',')) throw new Error('name its hosts itself, not in the variable PGHOST')
  if (/\s/.test(host)) throw new Error(MALFORMED)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) throw new Error('name a port from 1 to 65535')
  return { host, port, url }
}

function readByDriver(url: string): PostgresAddress {
  try {
    const { host, port } = new pg.Client({ connectionString: url })
    return { host, port }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_INVALID_URL' || error instanceof URIError) throw new Error(MALFORMED)
    // The driver reads the files of certificates here.
    throw new Error(`have parameters that can be used: ${message.split('\n')[0]?.replace(/\.$/, '')}`)
  }
}

/** Writes an address as a person does. */
export const placeOf = ({ host, port }: PostgresAddress): string =>
  host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
