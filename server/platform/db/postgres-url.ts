/** Reads the URL of a PostgreSQL server as the driver does, before anything connects, so that a wrong one can be refused with a sentence. */
import pg from 'pg'

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  host: string
  port: number
}

/** The host of a URL may be several, which `URL` refuses if they have ports. */
const AUTHORITY = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/

const MALFORMED =
  'be a URL such as postgres://user:password@host:5432/commonhold; write the characters :/?#@% of a user or a password as %3A and so on'

/** Returns the address in a URL. Throws an error that says what the URL must be, as the end of a sentence; it never contains the password. */
export function readPostgresUrl(url: string): PostgresAddress {
  const authority = AUTHORITY.exec(url)?.[1]
  if (authority === undefined) throw new Error('start with postgres://')
  if (url.slice(url.indexOf('://')) === '://')
    throw new Error('name a host, such as postgres://user:password@host:5432/commonhold')
  const { host, port } = authority.includes(',') ? { host: authority, port: 0 } : readByDriver(url)
  if (host.includes(','))
    throw new Error(
      'name one host; several are not supported yet: name the proxy or the virtual address that leads to the primary',
    )
  if (/\s/.test(host)) throw new Error(MALFORMED)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) throw new Error('name a port from 1 to 65535')
  return { host, port }
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
