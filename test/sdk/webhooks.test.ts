/** Verifies webhooks, compared with the reference library of Standard Webhooks. */
import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { describe, it } from 'vitest'
import { type IncomingWebhook, VerificationError, verifyWebhook, type WebhookFault } from '#sdk/index.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1u'
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const BODY = '{"event": "permission.added", "sentence": "Ada “Lovelace” \\u00e9 é"}'

/** Signs a message with the library of the standard. */
function signed(
  body = BODY,
  { secret = SECRET, at = new Date(), id = 'msg_1' } = {},
): IncomingWebhook & { headers: Record<string, string> } {
  return {
    body,
    secret,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  }
}

const refused = (webhook: IncomingWebhook, reason: WebhookFault) =>
  assert.rejects(verifyWebhook(webhook), (error: unknown) => {
    assert.ok(error instanceof VerificationError)
    assert.equal(error.reason, reason)
    assert.doesNotMatch(error.message, /MDEy/)
    return true
  })

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

describe('verifyWebhook', () => {
  it('accepts messages signed by the library of the standard', async () => {
    assert.deepEqual(await verifyWebhook(signed()), JSON.parse(BODY))
    assert.deepEqual(new Webhook(SECRET).verify(BODY, signed().headers), JSON.parse(BODY))
  })

  it('accepts the test vector of the standard', async () => {
    const webhook = {
      secret: SECRET,
      body: '{"a":1}',
      headers: {
        'webhook-id': 'msg_test_0001',
        'webhook-timestamp': '1700000000',
        'webhook-signature': 'v1,7U+9lTKuGNVblEsJz9HZ1duVVFQn4sOvqDBHP2Tj9ec=',
      },
    }
    assert.deepEqual(await verifyWebhook({ ...webhook, toleranceSeconds: Number.POSITIVE_INFINITY }), { a: 1 })
    await refused(webhook, 'timestamp_out_of_tolerance')
  })

  it('accepts bytes and strings, and every form of headers', async () => {
    const { body, headers, secret } = signed()
    const forms: IncomingWebhook['headers'][] = [
      headers,
      new Headers(headers),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      { ...headers, 'set-cookie': ['a', 'b'], 'x-absent': undefined },
    ]
    for (const form of forms)
      for (const bytes of [body, Buffer.from(String(body)), new TextEncoder().encode(String(body))])
        assert.deepEqual(await verifyWebhook({ body: bytes, headers: form, secret }), JSON.parse(BODY))
  })

  it('accepts a secret without its prefix', async () => {
    assert.deepEqual(await verifyWebhook({ ...signed(), secret: SECRET.slice('whsec_'.length) }), JSON.parse(BODY))
  })

  it('accepts one valid signature among several, at any position', async () => {
    const { headers, ...webhook } = signed()
    const good = String(headers['webhook-signature'])
    const bad = String(signed(BODY, { secret: OTHER }).headers['webhook-signature'])
    for (const signatures of [
      [bad, good],
      [good, bad],
      ['v2,abc', 'v1a,xyz', '', good],
      ['v1,not base64!', good],
      ['v1,', good],
    ])
      assert.deepEqual(
        await verifyWebhook({ ...webhook, headers: { ...headers, 'webhook-signature': signatures.join(' ') } }),
        JSON.parse(BODY),
      )
    for (const signatures of [
      [bad],
      [bad, bad],
      [good.replace('v1,', 'v2,')],
      [good.slice(3)],
      [good.slice(0, -6)],
      ['v1,'],
      [`${good}AAAA`],
      [good.replace(',', ',,')],
    ])
      await refused(
        { ...webhook, headers: { ...headers, 'webhook-signature': signatures.join(' ') } },
        'signature_wrong',
      )
  })

  it('refuses a change of any bit of the body, the id or the time', async () => {
    const { headers, body, secret } = signed()
    const bytes = Buffer.from(String(body))
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      await refused({ headers, body: changed, secret }, 'signature_wrong')
    }
    await refused({ headers, body: `${body} `, secret }, 'signature_wrong')
    await refused({ headers, body: '', secret }, 'signature_wrong')
    await refused({ headers: { ...headers, 'webhook-id': 'msg_2' }, body, secret }, 'signature_wrong')
    const later = String(Number(headers['webhook-timestamp']) + 1)
    await refused({ headers: { ...headers, 'webhook-timestamp': later }, body, secret }, 'signature_wrong')
    await refused({ ...signed(), secret: OTHER }, 'signature_wrong')
  })

  it('refuses messages older or newer than the tolerance', async () => {
    await verifyWebhook(signed(BODY, { at: ago(295) }))
    await verifyWebhook(signed(BODY, { at: ago(-295) }))
    await refused(signed(BODY, { at: ago(305) }), 'timestamp_out_of_tolerance')
    await refused(signed(BODY, { at: ago(-305) }), 'timestamp_out_of_tolerance')
    await refused({ ...signed(BODY, { at: ago(20) }), toleranceSeconds: 10 }, 'timestamp_out_of_tolerance')
    const { headers, ...webhook } = signed()
    for (const time of ['now', 'NaN', '1e9', '-1', ' 1700000000', '0x10', '1700000000.5', '9'.repeat(30)])
      await refused({ ...webhook, headers: { ...headers, 'webhook-timestamp': time } }, 'timestamp_out_of_tolerance')
  })

  it('names a missing header', async () => {
    const { headers, ...webhook } = signed()
    for (const name of Object.keys(headers))
      for (const value of [undefined, '', ['a', 'b']]) {
        const found = { ...webhook, headers: { ...headers, [name]: value } }
        await refused(found, 'header_missing')
        await assert.rejects(verifyWebhook(found), { message: `The header ${name} is missing.` })
      }
  })

  it('reports a parsed body, and an invalid secret', async () => {
    await assert.rejects(verifyWebhook({ ...signed(), body: JSON.parse(BODY) }), {
      name: 'TypeError',
      message: /^body must be the raw body/,
    })
    for (const secret of ['', 'whsec_', 'whsec_***'])
      await assert.rejects(verifyWebhook({ ...signed(), secret }), {
        name: 'TypeError',
        message: 'secret must be whsec_ followed by base64',
      })
  })
})
