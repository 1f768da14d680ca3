/** Domains are converted as Node does it, but without Node. */
import assert from 'node:assert/strict'
import { domainToASCII } from 'node:url'
import { it } from 'vitest'
import { domainToAscii } from './addresses.ts'

it('converts and refuses domains as Node does', () => {
  for (const domain of [
    ...[
      'example.com',
      'EXAMPLE.com',
      'a',
      'b',
      'A',
      'bücher.example',
      'straße.de',
      'xn--bcher-kva.example',
      'ＥＸ.com',
    ],
    ...['', '.', 'a.', '..', 'a b', 'a:80', 'a/b', 'a?b', 'a#b', 'a@b', '127.1', '1.2.3.4', '[::1]', '::1', 'x_y.com'],
    ...[
      'ﷺ.example',
      '\u200d',
      'a\u00adb.com',
      '-a-.com',
      'xn--',
      '%41.com',
      'a%2fb',
      '\ud800',
      'é.é',
      '日本.jp',
      '1e3',
    ],
  ])
    assert.equal(domainToAscii(domain), domainToASCII(domain), JSON.stringify(domain))
})
