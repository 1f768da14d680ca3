/** Internal addresses are never connected to, in hundreds of spellings. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { isPublicAddress } from './addresses.ts'
import type { GuardOptions } from './guarded-agent.ts'
import { createOutbound, EXCERPT_BYTES_MAX } from './outbound.ts'
import { createOutboundFetch } from './outbound-fetch.ts'

const REQUEST = { headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 3_000 }

/** A server on every address of this machine. `connections` counts all connections to it. */
async function startListener(handle?: (request: IncomingMessage, response: ServerResponse) => void) {
  let connections = 0
  const server = createServer(handle ?? ((_, response) => response.end('ok')))
  server.on('connection', () => connections++)
  server.listen(0, '::')
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, connections: () => connections }
}

function outbound(options: Partial<GuardOptions> = {}) {
  const made = createOutbound({ allowPrivate: false, ...options })
  cleanUp(() => made.close())
  return made
}

/** Internal addresses of each kind, as resolvers write them. */
const INSIDE = {
  'loopback, unspecified, this network': [
    ...['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', '0.0.0.0', '0.0.0.1', '0.1.2.3', '::1', '::'],
  ],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'link-local, with the metadata of clouds': ['169.254.0.1', '169.254.169.254', '169.254.170.2', 'fe80::1', 'febf::1'],
  'other metadata': ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'protocol assignments, documentation': ['192.0.0.1', '192.0.2.1', '198.51.100.7', '203.0.113.9', '192.88.99.1'],
  benchmark: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved, broadcast': ['240.0.0.1', '255.255.255.254', '255.255.255.255', '2001:db8::1', '3fff::1', '2001::1'],
  'unique local, site local': ['fc00::1', 'fdff::1', 'fec0::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:0:0'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::a9fe:a9fe'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:7f00:1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '64:ff9b:1::7f00:1'],
  '6to4': ['2002:7f00:1::', '2002:7f00:0001::1', '2002:a00:1::1', '2002:a9fe:a9fe::1', '2002:c0a8:101::1'],
  Teredo: ['2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  'zone ids': ['fe80::1%eth0', '::1%lo', 'fe80::1%25eth0'],
  'what was never given out': ['4000::1', '1::1', '100::1', '5f00::1', 'e000::1'],
  'no addresses': ['', 'localhost', '127.0.0.1.', '1.2.3', '::g'],
}

const PUBLIC = [
  ...[
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '11.0.0.1',
  ],
  ...[
    '192.169.0.1',
    '169.253.255.255',
    '128.0.0.1',
    '223.255.255.254',
    '198.17.255.255',
    '198.20.0.1',
    '168.63.129.17',
  ],
  ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
]

/** Spellings of internal addresses as hosts. */
const HOSTS = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '2130706433.',
    '017700000001',
    '0x7f000001',
    '0x7F.1',
  ],
  ...['0x7f.0.0.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1', '0177.0.0.01', '0177.0.1', '00000177.0.0.1', '0177.1', '127.0x1'],
  ...[
    '0',
    '0.',
    '0x0',
    '00',
    '0.0',
    '0.0.0.0',
    '0x00000000',
    '0000.0.0.0',
    '127.127.127.127',
    '127.65535',
    '0x7fffffff',
  ],
  ...['%31%32%37.0.0.1', '127.0.0.%31', '127%2e0%2e0%2e1', '１２７.0.0.1', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1'],
  ...['①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '0Ⅹ7f.1', '127.0.0.1\t', '127.\t0.0.1', '127.0.0.1\n', '１２７．１'],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::0:1]',
    '[::0001]',
    '[0::1]',
    '[::]',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::FFFF:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:7f00:0001]',
  ],
  ...[
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:7f00:1::1]',
  ],
  ...[
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[ff02::1]',
  ],
  ...[
    '[fe80::1%25eth0]',
    '[::1%25lo]',
    '[fe80::1%eth0]',
    '[::1%lo]',
    '[::1',
    '::1',
    '[127.0.0.1]',
    '[::1].',
    '[v1.fe]',
  ],
  ...[
    '10.0.0.1',
    '167772161',
    '0xa000001',
    '012.0.0.1',
    '10.1',
    '192.168.1.1',
    '3232235777',
    '0xc0a80101',
    '192.168.257',
  ],
  ...[
    '172.16.0.1',
    '2886729729',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
  ],
  ...['169.254.169.254.', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]'],
  ...['100.100.100.200', '100.64.0.1', '168.63.129.16', '2822734096', '0xA83F8110', '192.0.0.192', '198.18.0.1'],
  ...[
    '224.0.0.1',
    '255.255.255.255',
    '4294967295',
    '0xffffffff',
    '240.0.0.1',
    '203.0.113.1',
    '192.0.2.1',
    '198.51.100.1',
  ],
  ...['256.0.0.1', '4294967296', '127.0.0.1.1', '0x100000000', '1.2.3.4.5', '127..0.1', '08.0.0.1', '0x', '127.0.0.0x'],
]

/** Names that resolve to internal addresses, or not at all. */
const NAMES = [
  ...[
    'localhost',
    'localhost.',
    'LOCALHOST',
    'LocalHost.',
    'ｌｏｃａｌｈｏｓｔ',
    'l%6fcalhost',
    'loc\u00adalhost',
    'localhost.localdomain',
  ],
  ...[
    'ip6-localhost',
    'ip6-loopback',
    'app.localhost',
    'metadata.google.internal',
    'metadata',
    'kubernetes.default.svc',
  ],
  ...[
    '127.0.0.1.nip.io',
    '127-0-0-1.sslip.io',
    'localtest.me',
    'spoofed.example.com',
    'xn--lcalhost-pcb',
    'inside.example.com.',
  ],
]

const around = (host: string, port: number): string[] => [`http://${host}:${port}/`]
const dressed = (port: number): string[] => [
  ...['http', 'https', 'HTTP', 'HtTpS'].flatMap((scheme) => [
    `${scheme}://user:password@127.0.0.1:${port}/`,
    `${scheme}://8.8.8.8@127.0.0.1:${port}/`,
    `${scheme}://example.com:80@127.0.0.1:${port}/`,
    `${scheme}://example.com%2f@127.0.0.1:${port}/`,
    `${scheme}://:@[::1]:${port}/`,
    `${scheme}:\\\\127.0.0.1:${port}\\`,
    `${scheme}:/127.0.0.1:${port}/`,
    `${scheme}:127.0.0.1:${port}/`,
    `${scheme}:///127.0.0.1:${port}/`,
    `${scheme}://127.0.0.1:${port}#@example.com/`,
    `${scheme}://127.0.0.1:${port}?@example.com/`,
    `${scheme}://127.0.0.1:0${port}/`,
    `${scheme}://127.0.0.1:${port}\\@example.com/`,
    ` ${scheme}://127.0.0.1:${port}/`,
    `\u0000${scheme}://127.0.0.1:${port}/`,
  ]),
  ...[
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    `gopher://127.0.0.1:${port}/`,
    `ws://127.0.0.1:${port}/`,
    '//127.0.0.1/',
  ],
]

describe('addresses', () => {
  for (const [kind, addresses] of Object.entries(INSIDE))
    it(`that are internal are distinguished from public ones: ${kind}`, () => {
      assert.deepEqual(addresses.filter(isPublicAddress), [])
    })

  it('that are public are recognized up to the edges of their range', () => {
    assert.deepEqual(
      PUBLIC.filter((address) => !isPublicAddress(address)),
      [],
    )
  })
})

describe('a request to a hostile URL', () => {
  it('makes no connection, in hundreds of spellings', async () => {
    const { port, connections } = await startListener()
    const resolve = async (name: string) => (name.endsWith('localdomain') ? [] : ['127.0.0.1', '::1'])
    const { post } = outbound({ resolve })
    const urls = [...[...HOSTS, ...NAMES].flatMap((host) => around(host, port)), ...dressed(port)]
    assert.ok(new Set(urls).size >= 200, String(urls.length))
    const answers = await Promise.all(urls.map(async (url) => ({ url, ...(await post(url, REQUEST)) })))
    assert.deepEqual(
      answers.filter(({ status }) => status !== null),
      [],
    )
    assert.equal(connections(), 0)
  })

  it('makes no connection to an internal address that a name resolves to, alone or among public ones', async () => {
    const { port, connections } = await startListener()
    for (const address of Object.values(INSIDE).flat())
      for (const resolved of [[address], ['8.8.8.8', address], [address, '8.8.8.8', '2606:4700:4700::1111']]) {
        const { error } = await outbound({ resolve: async () => resolved }).post(`http://a.example:${port}/`, REQUEST)
        assert.equal(error, 'address_not_allowed', String(resolved))
      }
    assert.equal(connections(), 0)
  })

  it('connects without the check, which proves that the test detects connections', async () => {
    const { port, connections } = await startListener()
    const { post } = outbound({ allowPrivate: true, resolve: async () => ['127.0.0.1'] })
    for (const url of [`http://127.1:${port}/`, `http://[::1]:${port}/`, `http://a.example:${port}/`])
      assert.equal((await post(url, REQUEST)).status, 200, url)
    assert.equal(connections(), 3)
  })
})

describe('a name', () => {
  it('is resolved once for a connection, which goes to the address that was checked', async () => {
    const { port, connections } = await startListener()
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const asked: string[] = []
    const { post } = outbound({
      isReachable: (address) => address === '127.0.0.1',
      resolve: async (name) => {
        asked.push(name)
        return answers.shift() ?? []
      },
    })
    const url = `http://rebinding.example:${port}/`
    assert.equal((await post(url, { ...REQUEST, headers: { connection: 'close' } })).status, 200)
    assert.deepEqual(asked, ['rebinding.example'])
    assert.equal((await post(url, REQUEST)).error, 'address_not_allowed')
    assert.equal(connections(), 1)
    assert.equal(asked.length, 2)
  })

  it('that does not resolve, or has no address, is returned as an error', async () => {
    const resolve = async (name: string) => {
      if (name === 'empty.example') return []
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    }
    for (const host of ['empty.example', 'unknown.example'])
      assert.equal((await outbound({ resolve }).post(`http://${host}/`, REQUEST)).error, 'ENOTFOUND')
  })
})

describe('a response', () => {
  const local = (more: Partial<GuardOptions> = {}) => outbound({ allowPrivate: true, ...more })

  it('that redirects is not followed, and its target is not connected to', async () => {
    const inside = await startListener()
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await startListener((_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end(),
      )
      assert.equal((await local().post(`http://127.0.0.1:${port}/`, REQUEST)).status, status)
    }
    assert.equal(inside.connections(), 0)
  })

  it('is read up to a limit, and its beginning is kept', async () => {
    let written = 0
    const { port } = await startListener((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('é'.repeat(8_192))) written += 16_384
      }
      response.on('drain', more)
      more()
    })
    const { status, excerpt } = await local().post(`http://127.0.0.1:${port}/`, REQUEST)
    assert.equal(status, 200)
    assert.ok(Buffer.byteLength(excerpt) <= EXCERPT_BYTES_MAX && excerpt.startsWith('éé'))
    assert.ok(written < 8_000_000, `${written} bytes`)
  })

  it('has an excerpt without bytes that the database would refuse', async () => {
    const { port } = await startListener((_, response) => response.end(Buffer.alloc(5_000)))
    const { excerpt } = await local().post(`http://127.0.0.1:${port}/`, REQUEST)
    assert.ok(!excerpt.includes('\0') && excerpt.length > 0 && Buffer.byteLength(excerpt) <= EXCERPT_BYTES_MAX)
  })

  it('that does not arrive, or not completely, ends with the timeout', async () => {
    const sockets = new Set<Socket>()
    const silent = createTcpServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
    const drip = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    }).listen(0, '127.0.0.1')
    await Promise.all([once(silent, 'listening'), once(drip, 'listening')])
    for (const server of [silent, drip]) {
      const { port } = server.address() as AddressInfo
      const { error } = await local().post(`http://127.0.0.1:${port}/`, { ...REQUEST, timeoutMs: 200 })
      assert.equal(error, 'timeout')
    }
    for (const socket of sockets) socket.destroy()
    silent.close()
    drip.close()
  })

  it('ends with the timeout or the signal also while the receiver is silent in the handshake of the connection', async () => {
    const sockets = new Set<Socket>()
    const silent = createTcpServer((socket) => sockets.add(socket.on('error', () => {}).resume())).listen(
      0,
      '127.0.0.1',
    )
    await once(silent, 'listening')
    cleanUp(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const short = { ...REQUEST, timeoutMs: 200 }
    const client = outbound({ allowPrivate: true })
    assert.equal((await client.post(url, short)).error, 'timeout')
    assert.equal((await client.ask(url, { ...short, responseBytesMax: 10 })).error, 'timeout')
    assert.equal((await client.post(url, { ...REQUEST, signal: AbortSignal.timeout(200) })).status, null)
    const { fetch, close } = createOutboundFetch({ allowPrivate: true })
    cleanUp(close)
    const asked = fetch(url, { ...short, method: 'GET', body: null, responseBytesMax: 10 })
    await assert.rejects(asked, { code: 'timeout' })
    assert.equal(sockets.size, 4)
  })

  it('whose status arrived in time counts, even if its body never ends', async () => {
    const { port } = await startListener((_, response) => response.writeHead(204 + 1).write('begun'))
    const answer = await local().post(`http://127.0.0.1:${port}/`, { ...REQUEST, timeoutMs: 200 })
    assert.deepEqual([answer.status, answer.error, answer.excerpt], [205, null, 'begun'])
  })

  it('is an error if nothing listens', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    assert.equal((await local().post(`http://127.0.0.1:${port}/`, REQUEST)).error, 'ECONNREFUSED')
  })
})
