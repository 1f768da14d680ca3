/** The examples of the access model, each checked on the server and with the reference interpreter. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { startServer } from '#testing/server.ts'
import { buildWorld, setDisabled } from './build.ts'
import { EXAMPLES, type Example, FOLDER } from './examples.ts'
import { decide } from './interpreter.ts'
import { type GrantSpec, type OrganizationSpec, settingsOf } from './worlds.ts'

const server = await startServer()

const grantOf = (holder: GrantSpec['holder'], [target, role, expiresAt]: Example['grants'][number]): GrantSpec => ({
  holder,
  target,
  role,
  expiresAt: expiresAt ?? null,
  replaceExisting: false,
})

describe('the examples of the access model', () => {
  for (const [name, { setting, grants, groupGrants = [], at = 50, answer }] of Object.entries(EXAMPLES)) {
    it(name, async () => {
      const {
        keyDefault = 'public',
        role = 'editor',
        hasCommenter = false,
        folder = null,
        document = null,
        disabled = false,
        userDisabled = false,
      } = setting
      const disabledUsers = userDisabled ? ['u0'] : []
      const state = { accessType: keyDefault, accessRole: role, hasCommenter, disabledUsers }
      const key = await server.newKey()
      await key.call(updateKeyConfig, settingsOf(state))
      const spec: OrganizationSpec = {
        folders: [
          { climb: 0, accessType: null },
          { climb: 0, accessType: folder },
        ],
        documents: [{ folder: FOLDER, accessType: document }],
        grants: [...grants.map((grant) => grantOf('u0', grant)), ...groupGrants.map((grant) => grantOf('g0', grant))],
        members: groupGrants.length > 0 ? [['g0', 'u0']] : null,
        crowded: false,
        steps: disabled ? [{ do: 'disable organization' }] : [],
      }
      const { documents } = await buildWorld(key, 'o', spec)
      assert.deepEqual(decide(documents.get('d0'), 'u0', at, state), answer, 'the interpreter')
      await setDisabled(key, disabledUsers, true)
      server.clock.set(new Date(at * 1000))
      const resource = { type: 'document', id: 'd0', organizationId: 'o' } as const
      const { checks } = await key.call(checkPermissions, { checks: [{ userId: 'u0', resource }] })
      assert.deepEqual(checks, [answer], 'the server')
    })
  }
})
