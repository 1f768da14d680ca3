/** Statements are cancelled: acknowledged changes are stored, refused ones are not, and no connection stays broken. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE, startServer } from '#testing/server.ts'

const SECONDS = FULL ? 15 : 3
const CALLERS = 8

/** Every backend of the server except the one that runs this statement. */
const CANCEL_ALL = `
  select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

describe('pg_cancel_backend under load', { skip: ENGINE === 'embedded' }, () => {
  it('loses no acknowledged grant, stores no refused one, and leaves every connection usable', async (t) => {
    const server = await startServer()
    const key = await server.newKey()
    const end = Date.now() + SECONDS * 1_000
    const answers = new Map<string, number>()
    const grant = async (caller: number) => {
      for (let nth = 0; Date.now() < end; nth++) {
        const userId = `user ${caller}.${nth}`
        const resources = [{ type: 'document' as const, id: `d${nth % 5}`, organizationId: `o${nth % 3}` }]
        const { http, text } = await key.post(addPermissions.path, {
          ...{
            user: { userId },
            permissions: { resources: resources.map((one) => ({ ...one, accessRole: 'viewer' })) },
          },
        })
        assert.ok([200, 504].includes(http), text)
        answers.set(userId, http)
      }
    }
    const cancel = async () => {
      while (Date.now() < end) {
        await server.db.query(CANCEL_ALL).catch(() => {})
        await sleep(Math.random() * 4)
      }
    }
    await Promise.all([...Array.from({ length: CALLERS }, (_, caller) => grant(caller)), cancel()])

    for (let nth = 0; nth < 200; nth++) {
      const checks = [{ userId: 'user 0.0', resource: { type: 'document' as const, id: 'd0', organizationId: 'o0' } }]
      assert.equal((await key.post(checkPermissions.path, { checks })).http, 200)
    }
    const { rows } = await server.db.query('select principal as user_id from grants')
    const stored = new Set((rows as { user_id: string }[]).map(({ user_id }) => user_id))
    const users = Map.groupBy(answers.keys(), (userId) => answers.get(userId))
    const [granted = [], refused = []] = [users.get(200), users.get(504)]
    t.annotate(`${granted.length} granted, ${refused.length} cancelled`)
    assert.ok(granted.length > 0 && refused.length > 0)
    assert.deepEqual(
      [granted.filter((user) => !stored.has(user)), refused.filter((user) => stored.has(user))],
      [[], []],
    )
  })
})
