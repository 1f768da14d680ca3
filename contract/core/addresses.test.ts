/** Which e-mail addresses are equal, and which can get mail (rules/data.md#addresses). */
import assert from 'node:assert/strict'
import { domainToASCII } from 'node:url'
import { describe, it } from 'vitest'
import { domainToAscii, foldedAddress, isMailAddress } from './addresses.ts'

describe('foldedAddress', () => {
  it('equates the letters A to Z with a to z', () => {
    assert.equal(foldedAddress('AZaz+Tag.09@EXAMPLE.com'), 'azaz+tag.09@example.com')
  })

  it('changes nothing else, whatever Unicode folds it to', () => {
    for (const address of [
      '\u212a@x.co',
      '\u017f@x.co',
      '\u0130@x.co',
      '\u0131@x.co',
      '\uff21@x.co',
      'É@x.co',
      'e\u0301@x.co',
      'a@BÜCHER.co',
    ])
      assert.equal(foldedAddress(address), address.replace('BÜCHER', 'bÜcher'))
  })
})

describe('isMailAddress', () => {
  it('takes addresses of one mailbox', () => {
    for (const address of ['a@b.co', "o'hara+tag@mail.example.com", 'zoë@bücher.example', 'x_y-z@a-b.example'])
      assert.ok(isMailAddress(address), address)
  })

  it('refuses anything else', () => {
    const bad = [
      '',
      'a',
      '@b.co',
      'a@',
      'a@b',
      'a@b.co,eve@c.co',
      'a@b.co, eve@c.co',
      'a@b@c.co',
      '<a@b.co>',
      'Ada <a@b.co>',
      'a@b.co>',
      '"a b"@c.co',
      'a b@c.co',
      'a@b.co\r\nBcc: eve@c.co',
      'a\r\n@b.co',
      'a@b.co\n',
      'a\u0000@b.co',
      'a\u202e@b.co',
      'a@b\u202e.co',
      'a@b..co',
      'a@-b.co',
      'a@b.co.',
      '.a@b.co',
      'a..b@c.co',
      'a.@b.co',
      'a(x)@b.co',
      'a;b@c.co',
      'a:b@c.co',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
      'a@1.2',
      'a@b.1',
      'a@b.0x1',
      'a@１２７.0.0.1',
      'a@b.co/x',
      'a@b.co?x',
      'a@b_c.co',
      `${'a'.repeat(65)}@b.co`,
      `a@${'b.'.repeat(130)}co`,
    ]
    for (const address of bad) assert.ok(!isMailAddress(address), JSON.stringify(address))
  })

  it('refuses other spellings of a domain, which lead to the same mailbox', () => {
    const spellings = [
      ...['\uff45xample.com', '\u{1d41e}xample.com', 'exam\ufe0fple.com', 'exampl\u034fe.com', 'example\uff0ecom'],
      ...[
        '\u212aex.example',
        '\u017fex.example',
        'B\u00dcCHER.example',
        'bu\u0308cher.example',
        'b\u00fc\ufe0fcher.example',
      ],
    ]
    for (const domain of spellings) assert.ok(!isMailAddress(`a@${domain}`), JSON.stringify(domain))
    for (const domain of [
      'EXAMPLE.com',
      'b\u00fccher.example',
      'xn--bcher-kva.example',
      'stra\u00dfe.example',
      '\u4f8b\u5b50.example',
    ])
      assert.ok(isMailAddress(`a@${domain}`), domain)
  })
})

describe('domainToAscii', () => {
  it('converts and refuses domains as Node does, but without Node', () => {
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
      ...[
        '',
        '.',
        'a.',
        '..',
        'a b',
        'a:80',
        'a/b',
        'a?b',
        'a#b',
        'a@b',
        '127.1',
        '1.2.3.4',
        '[::1]',
        '::1',
        'x_y.com',
      ],
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
})
