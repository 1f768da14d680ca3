/** E-mail addresses are equal in the same way everywhere: A to Z count as a to z, and nothing else does (rules/data.md#addresses). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { isMailAddress } from '#contract/core/addresses.ts'
import { addInvitation, getUserInvitations, respondToInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { getOperators, inviteOperator } from '#contract/workspace/operators.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { callersFrom } from './support/callers.ts'
import { refused, refusedField } from './support/refused.ts'

const server = await sharedServer()

/** Two addresses that are written differently, and whether they are equal. */
const PAIRS: [about: string, one: string, other: string, isEqual: boolean][] = [
  ['the case of A to Z, also before the @', 'kim.lee+a@example.com', 'KIM.Lee+A@EXAMPLE.com', true],
  ['the Kelvin sign', 'kim@example.com', '\u212aim@example.com', false],
  ['the Kelvin sign in the domain', 'ada@kelvin.example', 'ada@\u212aelvin.example', false],
  ['the long s', 'sam@example.com', '\u017fam@example.com', false],
  ['the dotless i', 'kim@example.com', 'k\u0131m@example.com', false],
  ['the capital I with a dot', 'kim@example.com', 'k\u0130m@example.com', false],
  ['capitals outside ASCII', 'zoë@example.com', 'ZOË@example.com', false],
  ['composed and decomposed letters', 'zo\u00eb@example.com', 'zoe\u0308@example.com', false],
  ['fullwidth letters', 'kim@example.com', '\uff4bim@example.com', false],
  ['a name and its punycode', 'kim@bücher.example', 'kim@xn--bcher-kva.example', false],
  ['dots in the local part', 'kimlee@example.com', 'kim.lee@example.com', false],
  ['plus tags', 'kim@example.com', 'kim+news@example.com', false],
]

describe.for(PAIRS)('%s', ([, one, other, isEqual]) => {
  let key: Client
  let workspace: Client
  const target = { organizationId: 'acme', type: 'org_user' } as const
  beforeEach(async () => {
    const callers = await callersFrom(server.client)
    key = callers.apiKey
    workspace = callers.workspace
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await key.call(addInvitation, { ...target, email: one, accessRole: 'editor' })
  })

  it('decides who accepts an invitation', async () => {
    for (const userProperties of [{ email: other }, {}]) {
      const { token: authToken } = await key.call(generateToken, { userId: 'stranger', userProperties })
      const user = { userId: 'stranger', ...(userProperties.email === undefined ? { email: other } : {}) }
      const answer = await key.post(respondToInvitation.path, {
        ...target,
        email: one,
        status: 'ACCEPTED',
        user,
        authToken,
      })
      if (isEqual) return assert.equal(answer.http, 200)
      assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'invitation_email_differs')
    }
  })

  it('decides which invitation a call names', async () => {
    assert.equal((await key.call(getUserInvitations, { organizationId: 'acme', email: other })).length, isEqual ? 1 : 0)
    const answer = await key.post(respondToInvitation.path, { ...target, email: other, status: 'WITHDRAWN' })
    if (isEqual) return assert.equal(answer.http, 200)
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'invitation_does_not_exist')
  })

  it('decides who is an operator, and whose workspaces are counted', async () => {
    const invited = [one, other].filter(isMailAddress)
    for (const email of invited) await workspace.call(inviteOperator, { email, role: 'support' })
    const { operators } = await workspace.call(getOperators, {})
    assert.equal(operators.length, 1 + (isEqual ? 1 : invited.length), 'with the owner')
    const ids = await Promise.all(
      [one, other].map(async (ownerEmail) => (await server.client.call(createWorkspace, { ownerEmail })).owner.id),
    )
    assert.equal(ids[0] === ids[1], isEqual)
  })
})

describe('an address that cannot receive mail', () => {
  it.for([
    '<ada@example.com>',
    'ada,eve@example.com',
    'ada;eve@example.com',
    'ada@example',
    'ada@example..com',
    'ada.@example.com',
    '"ada"@example.com',
    'ada@[127.0.0.1]',
    'ada(x)@example.com',
    'ada@-x.example',
    'ada@example.com.',
    'ada@ｅxample.com',
    'ada@\u212aiosk.example',
    'ada@exam\ufe0fple.com',
  ])('is not invited: %s', async (email) => {
    const { apiKey, workspace } = await callersFrom(server.client)
    const fields = { organizationId: 'acme', type: 'org_user', email }
    refusedField(await apiKey.post(addInvitation.path, fields), 'email', /can get mail/)
    refusedField(await workspace.post(inviteOperator.path, { email, role: 'support' }), 'email', /can get mail/)
  })
})
