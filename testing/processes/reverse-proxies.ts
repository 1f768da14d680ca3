/** Runs reverse proxies of this machine, with the blocks of docs/guides/run-in-production.md as their configuration. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Agent, fetch, type RequestInit, type Response } from 'undici'
import { cleanUp } from '../clean-up.ts'
import { eventually } from '../eventually.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './process.ts'

/** The caller's address: the loopback network has many, and the proxies connect from another one. */
export const CALLER = '127.0.0.9'
/** The host in the blocks. */
const HOST = 'api.example.com'
const APACHE_MODULES = '/usr/lib/apache2/modules'
const MODULES = ['mpm_event', 'authz_core', 'ssl', 'http2', 'proxy', 'proxy_http']

/** Where the files of one proxy are, and where it listens. */
interface Place {
  folder: string
  port: number
  isRoot: boolean
}

interface Kind {
  program: string
  /** Returns the whole configuration with a block, whose address is still that of the guide. */
  around(block: string, place: Place): string
  args(file: string, place: Place): string[]
}

const KINDS = {
  nginx: {
    program: 'nginx',
    around: (block, { folder, port, isRoot }) =>
      `daemon off; pid ${folder}/pid; ${isRoot ? 'user root;' : ''} events {} http { access_log off;\n` +
      `${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}\n` +
      `gzip on; gzip_proxied any; gzip_types text/event-stream application/json;\n` +
      `${block.replace('listen 443', `listen 127.0.0.1:${port}`)} }`,
    args: (file, { folder }) => ['-p', folder, '-e', `${folder}/error.log`, '-c', file],
  },
  apache: {
    program: 'apache2',
    around: (block, { folder, port, isRoot }) =>
      `ServerRoot ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/error.log\nServerName ${HOST}\n` +
      `DefaultRuntimeDir ${folder}\n${isRoot ? 'User nobody\nGroup nogroup\n' : ''}Listen 127.0.0.1:${port}\n` +
      `${MODULES.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`).join('\n')}\n` +
      block.replace('*:443', `127.0.0.1:${port}`),
    args: (file) => ['-f', file, '-DFOREGROUND'],
  },
  caddy: {
    program: 'caddy',
    around: (block, { folder, port }) =>
      `{\nadmin off\nauto_https disable_redirects\nskip_install_trust\nstorage file_system ${folder}/storage\n}\n` +
      block.replace(
        `${HOST} {`,
        `https://${HOST}:${port} {\nbind 127.0.0.1\ntls ${folder}/api.example.com.pem ${folder}/api.example.com.key\nencode gzip`,
      ),
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  haproxy: {
    program: 'haproxy',
    around: (block, { port }) => block.replace('bind :443', `bind 127.0.0.1:${port}`),
    args: (file) => ['-db', '-f', file],
  },
} satisfies Record<string, Kind>

export type ProxyName = keyof typeof KINDS

const programOf = (name: ProxyName): string | undefined =>
  [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
    .map((folder) => path.join(folder, KINDS[name].program))
    .find((program) => existsSync(program))

/** Returns whether this machine has a proxy. */
export const isHere = (name: ProxyName): boolean =>
  programOf(name) !== undefined && (name !== 'apache' || existsSync(APACHE_MODULES))

export interface ReverseProxy {
  /** Calls through the proxy with TLS, from the address `CALLER`. */
  call(path: string, init?: RequestInit): Promise<Response>
}

/** Starts a proxy with a block of the guide in front of servers, and waits until it passes calls to one. */
export async function startReverseProxy(
  name: ProxyName,
  block: string,
  servers: readonly string[],
): Promise<ReverseProxy> {
  const folder = temporaryFolder()
  const place: Place = { folder, port: await freePort(), isRoot: process.getuid?.() === 0 }
  createCertificate(folder)
  const [one = '', two = ''] = servers.map((url) => new URL(url).host)
  const text = KINDS[name]
    .around(block, place)
    .replaceAll('/etc/ssl', folder)
    .replaceAll(/127\.0\.0\.1:8080|10\.0\.0\.1:8080/g, one)
    .replaceAll('10.0.0.2:8080', two)
  const file = path.join(folder, 'configuration')
  writeFileSync(file, text)
  mkdirSync(path.join(folder, 'logs'))
  const child = spawn(programOf(name) ?? '', KINDS[name].args(file, place), {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
  const exited = once(child, 'exit')
  const agent = new Agent({
    allowH2: true,
    localAddress: CALLER,
    connect: {
      rejectUnauthorized: false,
      lookup: (_host, { all }, found) =>
        all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    },
  })
  cleanUp(async () => {
    await agent.destroy()
    child.kill('SIGTERM')
    await exited
  })
  const call: ReverseProxy['call'] = (where, init) =>
    fetch(`https://${HOST}:${place.port}${where}`, { ...init, dispatcher: agent })
  await eventually(`${name}, which says ${said}`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${said}`)
    const response = await call('/readyz').catch(() => undefined)
    await response?.text()
    return response?.ok || undefined
  })
  return { call }
}

/** Writes a certificate that it signs itself, its key, and both in one file. */
function createCertificate(folder: string): void {
  const [certificate, key, both] = ['pem', 'key', 'both'].map((end) => path.join(folder, `${HOST}.${end}`)) as [
    string,
    string,
    string,
  ]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', `/CN=${HOST}`]
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
}
