/** Normalizing the hosts of pages (rules/keys.md#allowed-domains). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { domainFault, normalizeDomain } from '#contract/keys/domain-names.ts'
import { normalizeDomains } from './hosts.ts'

describe('normalizeDomain', () => {
  const cases: [written: string, stored: string | null][] = [
    ['example.com', 'example.com'],
    ['https://WWW.Example.com:8443/a?b#c', 'example.com'],
    ['http://localhost:3000', 'localhost'],
    ['127.0.0.1:5173', '127.0.0.1'],
    [' app.example.com ', 'app.example.com'],
    ['example.com.', 'example.com'],
    ['user:secret@example.com', 'example.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['XN--MNCHEN-3YA.example', 'xn--mnchen-3ya.example'],
    ['*.example.com', '*.example.com'],
    ['https://*.example.com', '*.example.com'],
    ['*.www.example.com', '*.www.example.com'],
    ['www.com', 'com'],
    ['*', null],
    ['*.', null],
    ['*.*.example.com', null],
    ['ex*mple.com', null],
    ['app.*.com', null],
    ['', null],
    ['   ', null],
    ['https://', null],
    ['exa mple.com', null],
    ['javascript:alert(1)', null],
    [`${'a'.repeat(250)}.com`, null],
  ]
  for (const [written, stored] of cases)
    it(`makes ${JSON.stringify(written.slice(0, 40))} ${stored === null ? 'no host' : stored}`, () =>
      assert.equal(normalizeDomain(written), stored))
})

describe('domainFault', () => {
  it('accepts hosts, and wildcards below a name that belongs to somebody', () => {
    for (const domain of [
      'example.com',
      'localhost',
      'my_app.example.com',
      'a.b-c.example',
      '127.0.0.1',
      '[::1]',
      '[::ffff:102:304]',
      '*.example.com',
      '*.example.co.uk',
      '*.localhost',
      '*.xn--mnchen-3ya.example',
      'co.uk',
    ])
      assert.equal(domainFault(domain), undefined, domain)
  })

  it('refuses what no page has as its host, and wildcards that allow everybody', () => {
    const bad = [
      'a..b',
      '.example.com',
      'example.com.',
      '-a.example.com',
      'a-.example.com',
      `${'a'.repeat(64)}.com`,
      'a%b.com',
      '*.a..b',
      '*.com',
      '*.io',
      '*.xn--p1ai',
      '*.co.uk',
      '*.com.au',
      '*.127.0.0.1',
      '*.[::1]',
    ]
    for (const domain of bad) assert.match(domainFault(domain) ?? '', /^must/, domain)
  })
})

describe('normalizeDomains', () => {
  it('removes duplicates and keeps the order', () => {
    assert.deepEqual(normalizeDomains('domains', ['b.com', 'https://www.b.com/', 'a.com']), ['b.com', 'a.com'])
  })

  it('reports every item that is not a host', () => {
    assert.throws(() => normalizeDomains('allowedDomains', ['a.com', '*', 'b c']), {
      status: 'INVALID_ARGUMENT',
      message: 'allowedDomains[1] must be a host such as example.com or *.example.com',
      details: [1, 2].map((index) => ({
        field: `allowedDomains[${index}]`,
        message: `allowedDomains[${index}] must be a host such as example.com or *.example.com`,
      })),
    })
  })
})
