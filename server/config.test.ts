/** Every setting: the values that it accepts and refuses, and the sentence of each refusal. */
import assert from 'node:assert/strict'
import pg from 'pg'
import { describe, it } from 'vitest'
import { placeOf, readPostgresUrl } from '#platform/db/postgres-url.ts'
import { readConfig } from './config.ts'
import { ConfigError } from './setting-values.ts'
import { SETTINGS } from './settings.ts'

const KEY = Buffer.alloc(32, 7)
const DATABASE = { DATABASE_URL: 'postgres://user@host/name', MASTER_KEY: KEY.toString('base64') }

/** URLs with several hosts, and the hosts that libpq reads from them. */
const SEVERAL_HOSTS: readonly (readonly [url: string, hosts: string])[] = [
  ['postgres://one,two/name', 'one:5432 two:5432'],
  ['postgres://user:secret@one:5433,two:5434/name', 'one:5433 two:5434'],
  ['postgresql://user:a%2Cb@one,two:5434/name?sslmode=disable', 'one:5432 two:5434'],
  ['postgresql://[::1]:5433,[2001:db8::2]/name?target_session_attrs=read-write', '[::1]:5433 [2001:db8::2]:5432'],
  ['postgres://one%2Ctwo/name?target_session_attrs=primary&application_name=x', 'one:5432 two:5432'],
  ['postgres:///name?host=one,two', 'one:5432 two:5432'],
  ['postgres:///name?host=::1,/var/run/postgresql&port=5433', '[::1]:5433 /var/run/postgresql'],
  ['postgres://user:secret@/name?host=one%2Ctwo&port=5432,5433', 'one:5432 two:5433'],
  ['postgres://ignored:1/name?host=one,two&port=,5433', 'one:5432 two:5433'],
  ['postgres://one,two:5434,three/name?port=5433', 'one:5433 two:5433 three:5433'],
  ['postgres://%2Fvar%2Frun%2Fpostgresql,two/name', '/var/run/postgresql two:5432'],
  ['postgres://one:5433,two,one:5433/name?load_balance_hosts=random', 'one:5433 two:5432'],
  ['postgres://user@one,two', 'one:5432 two:5432'],
  ['postgres://one,two?connect_timeout=3', 'one:5432 two:5432'],
]

type Case = {
  good: readonly (readonly [text: string, value: unknown])[]
  bad: readonly string[]
  /** The requirement in the sentence. */
  must?: RegExp
  /** Other settings that it requires. */
  beside?: Record<string, string>
}

const whole = (min: number, max: number): Case => ({
  good: [
    [String(min), min],
    [String(max), max],
  ],
  bad: [String(max + 1), '-1', '1.5', '1e3', ' 1', '0x10', 'many', ...(min > 0 ? [String(min - 1)] : [])],
  must: new RegExp(`be a whole number from ${min} to ${max}`),
})

const key: Case = {
  good: [
    [KEY.toString('base64'), KEY],
    [KEY.toString('hex'), KEY],
    [KEY.toString('hex').toUpperCase(), KEY],
  ],
  bad: [
    'short',
    KEY.toString('hex').slice(1),
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
  ],
  must: /be 32 bytes as base64 or as 64 hex digits; create one with: openssl rand -base64 32/,
}

const flag: Case = {
  good: [
    ['true', true],
    ['false', false],
  ],
  bad: ['1', 'no', 'TRUE'],
  must: /be true or false/,
}

const secret: Case = {
  good: [['sixteen-letters!', 'sixteen-letters!']],
  bad: ['fifteen-letters', 'sixteen letters!', 'sechzehn-zeichen-ä'],
  must: /have at least 16 printable characters and no spaces/,
}

const CASES: Record<keyof typeof SETTINGS, Case> = {
  HOST: { good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  PORT: whole(0, 65_535),
  DATABASE_URL: {
    good: [
      'postgres://user@host/name',
      'postgresql://host:5433/name',
      'postgres://user:a,b%40c@host/name?sslmode=disable',
      'postgres://[::1]:5433/name',
      'postgres:///name?host=/var/run/postgresql',
      'postgres://user@/name?host=/var/run/postgresql&port=5433',
      'postgres://%2Fvar%2Frun%2Fpostgresql/name',
      'postgres://host/name?target_session_attrs=read-write',
      ...SEVERAL_HOSTS.map(([url]) => url),
    ].map((url) => [url, url] as const),
    bad: [
      'mysql://host/name',
      'host/name',
      ' postgres://host',
      'postgres:/host/name',
      'socket:/tmp?db=name',
      '/tmp name',
    ],
    must: /start with postgres:\/\//,
    beside: { MASTER_KEY: KEY.toString('base64') },
  },
  DATABASE_CONNECTIONS: whole(2, 1_000),
  STATEMENT_TIMEOUT_MS: whole(100, 3_600_000),
  REQUEST_TIMEOUT_MS: whole(1_000, 3_600_000),
  DATA_DIR: { good: [['/var/lib/commonhold', '/var/lib/commonhold']], bad: [] },
  MASTER_KEY: key,
  MASTER_KEY_PREVIOUS: {
    ...key,
    good: [
      [KEY.toString('hex'), [KEY]],
      [`${KEY.toString('base64')}, ${KEY.toString('hex')}`, [KEY, KEY]],
    ],
    bad: [...key.bad, `${KEY.toString('hex')},`, `${KEY.toString('hex')} ${KEY.toString('hex')}`],
  },
  PUBLIC_URL: {
    good: [
      ['https://api.example.com', 'https://api.example.com'],
      ['http://localhost:8080/', 'http://localhost:8080'],
    ],
    bad: [
      'api.example.com',
      'ftp://example.com',
      'https://example.com/v2',
      'https://example.com/?a',
      'https://',
      'https://a,b',
    ],
    must: /be an http or https address without a path/,
  },
  TRUST_PROXY: {
    good: [
      ['10.0.0.0/8, ::1,loopback', ['10.0.0.0/8', '::1', 'loopback']],
      ['uniquelocal', ['uniquelocal']],
      ['10.0.0.1/32,10.0.0.0/1,::1/128,fd00::/1', ['10.0.0.1/32', '10.0.0.0/1', '::1/128', 'fd00::/1']],
      ['::ffff:10.0.0.0/104,::ffff:10.0.0.1', ['::ffff:10.0.0.0/104', '::ffff:10.0.0.1']],
    ],
    bad: [
      'everyone',
      '10.0.0.0/8/8',
      '10.0.0',
      '10.0.0.0/x',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/999',
      '0.0.0.0/0',
      '::1/129',
      '::/0',
      '::ffff:0:0/96',
      '::ffff:10.0.0.1/96',
      '::ffff:0.0.0.0/90',
      '::/1',
      'loopback,',
      'true',
    ],
    must: /be addresses or ranges/,
  },
  HEADER_PREFIX: {
    good: [
      ['acme', 'acme'],
      ['my-co2', 'my-co2'],
    ],
    bad: ['Acme', '-acme', 'acme-', 'a--b', 'a b', 'a_b', 'ä'],
    must: /be lower-case letters, digits and single hyphens/,
  },
  SIGNUP: {
    good: [
      ['open', 'open'],
      ['closed', 'closed'],
    ],
    bad: ['local', 'OPEN', 'yes'],
    must: /be one of open, token, closed/,
  },
  SIGNUP_TOKEN: secret,
  STRICT_FIELDS: flag,
  REVEAL_SECRETS: flag,
  PRODUCTION_KEYS_PER_WORKSPACE: whole(0, 1_000_000),
  RATE_LIMIT_PER_KEY: whole(0, 1_000_000),
  CONCURRENT_CALLS_PER_KEY: whole(0, 1_000_000),
  DATABASE_MS_PER_KEY: whole(0, 1_000_000),
  RATE_LIMIT_PUBLIC: whole(0, 1_000_000),
  BODY_BYTES_MAX: whole(1_024, 256 * 1024 * 1024),
  EXPIRED_GRANTS_KEPT_DAYS: whole(0, 36_500),
  EVENT_RETENTION_DAYS: whole(0, 36_500),
  SMTP_URL: {
    good: [
      'smtp://mail.example.com',
      'smtps://user:p%40ss@mail.example.com:465?tls.servername=x',
      'smtp://u:p@[::1]:25',
    ].map((url) => [url, url] as const),
    bad: [
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      'smtp:///',
      'smtp://user@',
      'smtp://mail .example.com',
      'smtp://one,two:25',
      'smtp://mail.example.com:smtp',
      'smtp://mailer@example.com:1/secret@mail.example.com:25',
      'smtp://mailer@example.com:1?secret@mail.example.com:25',
      'smtp://mailer@example.com:1#secret@mail.example.com:25',
    ],
    must: /start with smtp:\/\/ or smtps:\/\/ and name a server/,
    beside: { MAIL_FROM: 'mail@example.com' },
  },
  MAIL_FROM: {
    good: [['mail@example.com', 'mail@example.com']],
    bad: ['mail', '@', 'a@b@c', 'Mail <mail@example.com>', 'mail@example.com\r\nBcc: eve@example.com'],
    must: /be an e-mail address/,
  },
  MAILS_PER_RECIPIENT: whole(0, 1_000_000),
  MAIL_CONFIRM_OWNERS: flag,
  LOGIN_LINKS: flag,
  SENDGRID_URL: {
    good: [['http://127.0.0.1:8025', 'http://127.0.0.1:8025']],
    bad: ['api.sendgrid.com', 'https://api.sendgrid.com/v3'],
    must: /be an http or https address without a path/,
  },
  WEBHOOK_ALLOW_PRIVATE: flag,
  DNS_SERVERS: {
    good: [
      ['192.0.2.53', ['192.0.2.53']],
      ['192.0.2.53:5353, [2001:db8::1]:53,::1', ['192.0.2.53:5353', '[2001:db8::1]:53', '::1']],
    ],
    bad: ['ns.example.com', '192.0.2.53:0', '192.0.2.53:65536', '192.0.2.53,', '[::1]:x'],
    must: /be IP addresses of name servers/,
  },
  WEBHOOK_RATE_PER_HOST: whole(0, 1_000_000),
  WEBHOOK_ATTEMPTS_KEPT_DAYS: whole(0, 36_500),
  STOP_DELAY_SECONDS: whole(0, 600),
  METRICS_TOKEN: secret,
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    good: ['http://127.0.0.1:4318', 'https://collector.example.com/otlp/'].map((url) => [url, url] as const),
    bad: ['127.0.0.1:4318', 'grpc://collector', 'https://', 'https://one,two:4318'],
    must: /be an http or https address/,
  },
  OTEL_TRACES_SAMPLER: {
    good: ['always_on', 'parentbased_traceidratio'].map((name) => [name, name] as const),
    bad: ['on', 'ALWAYS_ON', 'jaeger_remote'],
    must: /be one of always_on, .*, parentbased_traceidratio/,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    good: [
      ['0', 0],
      ['1', 1],
      ['.25', 0.25],
      ['0.001', 0.001],
    ],
    bad: ['1.1', '-1', '2', '10%', 'x', '.'],
    must: /be a number from 0 to 1/,
  },
  CLOCK: {
    good: [
      ['2030-01-31T12:00:00Z', new Date('2030-01-31T12:00:00Z')],
      ['2030-01-31T12:00:00.5+02:00', new Date('2030-01-31T10:00:00.500Z')],
      ['2030-01-31', new Date('2030-01-31T00:00:00Z')],
    ],
    bad: ['frozen', '2030', '2030-02-31T00:00:00Z', '2030-13-01T00:00:00Z', '2030-01-31T12:00:00', '1900000000'],
    must: /be a time such as 2030-01-31T12:00:00Z|have a time zone|that exist/,
  },
  LOG_LEVEL: {
    good: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => [level, level] as const),
    bad: ['INFO', 'verbose', '30'],
    must: /be one of trace, debug, info, warn, error, fatal, silent/,
  },
}

const BAD_DATABASE_URLS: Record<string, { bad: string[]; must: RegExp }> = {
  'hosts that are none': {
    bad: [
      'postgres://one,,two/name',
      'postgres://user:secret@one:5432,/name',
      'postgres:///name?host=one,',
      'postgres://user:secret@,one/name',
    ],
    must: /name each of its hosts/,
  },
  'more hosts than anybody has': {
    bad: [`postgres://${'host,'.repeat(16)}host/name`],
    must: /name at most 16 hosts/,
  },
  'ports that fit no host': {
    bad: ['postgres:///name?host=one,two&port=1,2,3', 'postgres://user:secret@one,two,three/name?port=1,2'],
    must: /name one port for all hosts, or as many ports as hosts/,
  },
  'a wish for a standby': {
    bad: [
      'postgres://user:secret@one,two/name?target_session_attrs=standby',
      'postgres://one/name?target_session_attrs=prefer-standby',
      'postgres://one,two/name?target_session_attrs=read-only',
      'postgres://one,two/name?target_session_attrs=READ-WRITE',
    ],
    must: /have target_session_attrs=read-write, or none: Commonhold works on the primary alone/,
  },
  'addresses of hosts': {
    bad: ['postgres://one,two/name?hostaddr=192.0.2.1,192.0.2.2'],
    must: /have no hostaddr: write the addresses as hosts/,
  },
  'a port that is none': {
    bad: [
      'postgres://host/name?port=secret',
      'postgres://host:0/name',
      'postgres://host/name?port=70000',
      'postgres://one,two:0/name',
      'postgres://user:secret@one:port,two/name',
    ],
    must: /name a port from 1 to 65535/,
  },
  'a host, port or password that is no part of a URL': {
    bad: [
      'postgres://host:port/name',
      'postgres://host:70000/name',
      'postgres://user:secret#@host/name',
      'postgres://user:secret/@host/name',
      'postgres://[::1/name',
      'postgres://host name/name',
      'postgres://user:secret%ff@host/name',
      'postgres://[::1,[::2]/name',
      'postgres://user:secret@::1,::2/name',
      'postgres://one,two three/name',
      'postgres://user:secret/@one,two/name',
      'postgres://user:secret@one%ff,two/name',
    ],
    must: /be a URL such as .*; write the characters :\/\?#@% of a user or a password as %3A/,
  },
  nothing: { bad: ['postgres://', 'postgresql://'], must: /name a host/ },
  'certificates that cannot be read': {
    bad: ['postgres://user:secret@host/name?sslrootcert=/no/such/file'],
    must: /have parameters that can be used: ENOENT: .*\/no\/such\/file/,
  },
}

/** Returns the error of a configuration that must be refused. */
function refusal(env: Record<string, string>): string {
  let message: string | undefined
  assert.throws(
    () => readConfig(env),
    (error) => {
      message = error instanceof ConfigError ? error.message : undefined
      return true
    },
    JSON.stringify(env),
  )
  return message ?? assert.fail(`${JSON.stringify(env)}: not an error for the operator`)
}

describe('readConfig', () => {
  for (const [name, { good, bad, must, beside = {} }] of Object.entries(CASES)) {
    it(`accepts ${name} as documented`, () => {
      for (const [text, value] of good)
        assert.deepEqual(readConfig({ ...beside, [name]: text })[name as keyof typeof SETTINGS], value, text)
    })
    if (bad.length > 0)
      it(`refuses an invalid ${name}, with one sentence that names it`, () => {
        for (const text of bad) {
          const message = refusal({ ...beside, [name]: text })
          assert.match(message, new RegExp(`^${name} must [^\\n]+\\.$`))
          assert.match(message, must ?? assert.fail())
          assert.ok(!name.startsWith('MASTER_KEY') || !message.includes(text), 'a secret in the sentence')
        }
      })
  }

  it('requires nothing: every default is valid, and an empty variable counts as absent', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']))
    assert.deepEqual(readConfig(empty), readConfig({}))
    assert.ok(Object.isFrozen(readConfig({})))
  })

  it('requires a master key with DATABASE_URL', () => {
    const { DATABASE_URL } = DATABASE
    assert.match(refusal({ DATABASE_URL }), /^MASTER_KEY is required with DATABASE_URL; create one with: .+/)
  })

  it('reads the hosts of a DATABASE_URL, each with everything else of the URL', () => {
    for (const [url, hosts] of SEVERAL_HOSTS) {
      const found = readPostgresUrl(url)
      assert.equal(found.map(placeOf).join(' '), hosts, url)
      for (const { host, port, url: own } of found) {
        const client = new pg.Client({ connectionString: own })
        assert.deepEqual([client.host, client.port], [host, port], own)
        const names = /\/name/.test(url) ? 'name' : client.database
        assert.equal(client.database, names, own)
        if (url.includes('secret')) assert.equal(client.password, 'secret', own)
        assert.doesNotMatch(own, /target_session_attrs|load_balance_hosts/)
      }
    }
    const [one] = readPostgresUrl('postgresql://user:a%2Cb@one,two:5434/name?sslmode=disable')
    const { user, password, ssl } = new pg.Client({ connectionString: one.url })
    assert.deepEqual([user, password, ssl], ['user', 'a,b', false])
  })

  for (const [what, urls] of Object.entries(BAD_DATABASE_URLS))
    it(`refuses a DATABASE_URL with ${what}, says what to do, and does not show the password`, () => {
      for (const url of urls.bad) {
        const message = refusal({ ...DATABASE, DATABASE_URL: url })
        assert.match(message, /^DATABASE_URL must [^\n]+\.$/, url)
        assert.match(message, urls.must, url)
        assert.doesNotMatch(message, /secret/, url)
      }
    })

  it('requires a token with SIGNUP=token and PostgreSQL', () => {
    assert.equal(
      refusal({ ...DATABASE, SIGNUP: 'token' }),
      'SIGNUP_TOKEN is required with SIGNUP=token and DATABASE_URL.',
    )
    assert.equal(readConfig({ ...DATABASE, SIGNUP: 'token', SIGNUP_TOKEN: 'x'.repeat(16) }).SIGNUP, 'token')
  })

  it('requires a sender with a mail server', () => {
    assert.equal(refusal({ SMTP_URL: 'smtp://127.0.0.1' }), 'MAIL_FROM is required with SMTP_URL.')
  })

  it('refuses CLOCK with a real database or in production', () => {
    const CLOCK = '2030-01-31T12:00:00Z'
    const serious: Record<string, string>[] = [
      { ...DATABASE, CLOCK },
      { NODE_ENV: 'production', CLOCK },
    ]
    for (const settings of serious)
      assert.equal(
        refusal(settings),
        'CLOCK is for tests: it cannot be set with DATABASE_URL, nor with NODE_ENV=production.',
      )
  })

  it('lets holders of the token sign up by default on the embedded engine, and nobody with PostgreSQL', () => {
    for (const HOST of ['127.0.0.1', '0.0.0.0']) assert.equal(readConfig({ HOST }).SIGNUP, 'token')
    assert.equal(readConfig(DATABASE).SIGNUP, 'closed')
  })
})
