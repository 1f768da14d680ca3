/** Signatures of the answers of permission providers (rules/access.md#permission-providers). */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { generatePermissionSignature } from '#contract/access/permission-provider.ts'
import { sharedServer } from '#testing/server.ts'
import { entriesFor, ROADMAP, responseWith, startAskingUser } from '#testing/stand-ins/permission-provider.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'
import { isSignature, signatureOf } from './signature.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const ENTRY = { userId: 'ada', resourceId: 'roadmap', type: 'document', hasAccess: true } as const

describe('permission-signatures.generate', () => {
  it('returns the same 64 hexadecimal digits for the same list, whatever the order of its fields', async () => {
    const key = await server.newKey()
    const [first, ...more] = await Promise.all(
      [
        { ...ENTRY, accessRole: 'viewer' as const },
        { accessRole: 'viewer' as const, ...ENTRY },
      ].map((entry) => key.call(generatePermissionSignature, { permissions: [entry] })),
    )
    assert.match(first?.signature ?? '', /^[0-9a-f]{64}$/)
    assert.deepEqual(more, [first])
    const others = await Promise.all(
      [[], [ENTRY], [ENTRY, ENTRY], [{ ...ENTRY, hasAccess: false }]].map((permissions) =>
        key.call(generatePermissionSignature, { permissions }),
      ),
    )
    assert.equal(new Set([first, ...others].map((one) => one?.signature)).size, 5)
    const { signature } = await (await server.newKey()).call(generatePermissionSignature, { permissions: [ENTRY] })
    assert.notEqual(signature, others[1]?.signature)
  })

  it('refuses data that are not an answer', async () => {
    const key = await server.newKey()
    for (const [field, value] of [
      ['type', 'context'],
      ['accessRole', 'owner'],
      ['hasAccess', 'yes'],
      ['expiresAt', -1],
    ])
      refusedField(
        await key.post(generatePermissionSignature.path, { permissions: [{ ...ENTRY, [field as string]: value }] }),
        `permissions[0].${field}`,
      )
  })
})

describe('an answer with a signature', () => {
  it('is accepted if it is right, with the organization or without it', async () => {
    for (const isNamed of [true, false]) {
      const { key, ada, provider } = await startAskingUser(server)
      const organization = isNamed ? { organizationId: 'acme' } : {}
      const entry = { ...ENTRY, ...organization, accessRole: 'viewer' as const }
      const { signature } = await key.call(generatePermissionSignature, { permissions: [entry] })
      provider.answer = (received) =>
        responseWith(
          entriesFor(received, () => ({ hasAccess: true, accessRole: 'viewer' })),
          { signature },
        )
      const [decision] = (await ada.call(checkPermissions, { checks: [{ resource: ROADMAP }] })).checks
      assert.equal(decision?.accessRole, 'viewer')
      provider.answer = (received) =>
        responseWith(
          entriesFor(received, () => ({ hasAccess: true })),
          { signature },
        )
      const answer = await ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP, atLeast: 'editor' }] })
      assert.equal(refused(answer, 'UNAVAILABLE').details.cause, 'signature_wrong')
    }
  })
})

describe('the first answer of an API key with a signature', () => {
  it('is accepted, although the secret is created while the provider is asked', async () => {
    const { key, ada, provider } = await startAskingUser(server)
    const entry = { ...ENTRY, organizationId: 'acme' }
    provider.answer = async (received) => {
      const { signature } = await key.call(generatePermissionSignature, { permissions: [entry] })
      return responseWith(
        entriesFor(received, () => ({ hasAccess: true })),
        { signature },
      )
    }
    const [decision] = (await ada.call(checkPermissions, { checks: [{ resource: ROADMAP }] })).checks
    assert.equal(decision?.allowed, true)
  })
})

describe('signatureOf', () => {
  it('is the HMAC of the canonical JSON', () => {
    const text =
      '[{"accessRole":"editor","expiresAt":1e+21,"hasAccess":true,"resourceId":"€\\"\\u0001","type":"document","userId":"ada"}]'
    const entry = {
      userId: 'ada',
      type: 'document',
      resourceId: '€"\u0001',
      hasAccess: true,
      expiresAt: 1e21,
      accessRole: 'editor',
    }
    assert.equal(
      signatureOf('secret', [{ ...entry, more: 1 }]),
      createHmac('sha256', 'secret').update(text).digest('hex'),
    )
  })

  it('is never right before the key has a secret', () => {
    assert.equal(isSignature(null)(signatureOf('', [ENTRY]), [ENTRY]), false)
    assert.equal(isSignature('secret')(signatureOf('secret', [ENTRY]), [ENTRY]), true)
    for (const wrong of ['', 'zz', signatureOf('other', [ENTRY]), `${signatureOf('secret', [ENTRY])}00`])
      assert.equal(isSignature('secret')(wrong, [ENTRY]), false)
  })
})
