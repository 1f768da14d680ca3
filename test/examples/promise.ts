/** The promise of every example in `examples/`: only users with access pass, and a fault is neither a pass nor a denial. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import { isShown, printedBy, stepsOf } from '#testing/pages/shell.ts'
import { ROOT } from '../../scripts/root.ts'
import { closeKept, passOn, respondLate, trickle } from './gate.ts'
import { DOCUMENTS, NO_DECISIONS, STEPS, STRANGE_IDS, TRAVERSALS } from './hostile.ts'
import type { Example } from './start.ts'

const organizationId = 'acme'
const pathOf = (documentId: string): string => `${DOCUMENTS}/${encodeURIComponent(documentId)}`
const resourceOf = (id: string) => ({ type: 'document', id, organizationId }) as const

interface Traits {
  /** In `examples/`. */
  folder: string
  /** Whether the framework distinguishes `%2F` in a path from `/`. Otherwise no route matches an id with a slash. */
  readsEncodedSlashes: boolean
  /** Whether a call is repeated when its kept-alive connection turns out to be closed. */
  repeatsCalls: boolean
}

/** `example` is the reason if it cannot be tested here. */
export function describeExample(
  name: string,
  example: Example | string,
  { folder, readsEncodedSlashes, repeatsCalls }: Traits,
): void {
  if (typeof example === 'string') {
    it.skip(`the ${name} example: ${example}`, () => {})
    return
  }
  const { url, gate, shell, commonhold, send } = example
  const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status

  describe(`the ${name} example`, () => {
    beforeAll(async () => {
      const readable = ['roadmap', ...STRANGE_IDS, ...STEPS]
      await commonhold.documents.add({
        organizationId,
        createOrganization: true,
        documents: [...readable, 'secret'].map((documentId) => ({ documentId, accessType: 'restricted' as const })),
      })
      const resources = readable.map((id) => ({ ...resourceOf(id), accessRole: 'viewer' as const }))
      await commonhold.permissions.add({ user: { userId: 'ada' }, permissions: { resources } })
      await commonhold.grant({ userId: 'eve', resource: resourceOf('roadmap'), accessRole: 'editor' })
    })

    it('lets users do what their role allows', async () => {
      const [read, wrote] = [await send('GET', pathOf('roadmap'), 'ada'), await send('PUT', pathOf('roadmap'), 'eve')]
      assert.deepEqual([read.status, JSON.parse(read.body)], [200, { read: 'roadmap' }])
      assert.deepEqual([wrote.status, JSON.parse(wrote.body)], [200, { wrote: 'roadmap' }])
      assert.equal(await statusOf('PUT', pathOf('roadmap'), 'ada'), 403)
    })

    it('denies users without access, and documents that do not exist', async () => {
      assert.equal(await statusOf('GET', pathOf('secret'), 'ada'), 403)
      assert.equal(await statusOf('GET', pathOf('roadmap'), 'nobody-knows-me'), 403)
      assert.equal(await statusOf('GET', pathOf('roadmap2'), 'ada'), 403)
      assert.equal(await statusOf('GET', '/organizations/other/documents/roadmap', 'ada'), 403)
    })

    it('sends those who are not signed in to sign in', async () => {
      assert.equal(await statusOf('GET', pathOf('roadmap')), 401)
      assert.equal(await statusOf('PUT', pathOf('roadmap'), ''), 401)
    })

    it('denies a user as soon as the grant is revoked', async () => {
      const grant = { userId: 'bob', resource: resourceOf('roadmap') }
      for (let time = 0; time < 3; time++) {
        await commonhold.grant({ ...grant, accessRole: 'viewer' })
        assert.equal(await statusOf('GET', pathOf('roadmap'), 'bob'), 200)
        await commonhold.revoke(grant)
        assert.equal(await statusOf('GET', pathOf('roadmap'), 'bob'), 403)
      }
    })

    it('gives concurrent requests each their own decision', async () => {
      const users = Array.from({ length: 40 }, (_, nth) => (nth % 2 === 0 ? 'ada' : 'bob'))
      const statuses = await Promise.all(users.map((user) => statusOf('GET', pathOf('roadmap'), user)))
      assert.deepEqual(
        statuses,
        users.map((user) => (user === 'ada' ? 200 : 403)),
      )
    })

    it('keeps its connection to the server', async () => {
      await send('GET', pathOf('roadmap'), 'ada')
      const before = gate.connections
      for (let time = 0; time < 10; time++) assert.equal(await statusOf('GET', pathOf('roadmap'), 'ada'), 200)
      assert.ok(gate.connections - before <= 1, `${gate.connections - before} new connections`)
    })

    it('serves the document that it has checked, whatever its id', async () => {
      for (const id of STRANGE_IDS) {
        const { status, body } = await send('GET', pathOf(id), 'ada')
        assert.deepEqual([status, JSON.parse(body)], [200, { read: id }], id)
        assert.equal(await statusOf('GET', pathOf(id), 'bob'), 403, id)
      }
      for (const id of STEPS) {
        const { status, body } = await send('GET', pathOf(id), 'ada')
        if (id === 'a/b' && readsEncodedSlashes) assert.equal(status, 200, id)
        if (status === 200) assert.equal(JSON.parse(body).read, id)
        else assert.ok(status >= 300 && status < 500, `${id}: ${status}`)
        assert.notEqual(await statusOf('GET', pathOf(id), 'bob'), 200, id)
      }
    })

    it('cannot be led to another document by a path', async () => {
      for (const traversal of TRAVERSALS) {
        const { status, body } = await send('GET', traversal, 'ada')
        assert.ok(status >= 300 && status < 500, `${traversal}: ${status} ${body}`)
        assert.doesNotMatch(body, /"read"/, traversal)
      }
    })

    it('refuses ids that no document can have, and does not report a fault', async () => {
      assert.equal(await statusOf('GET', pathOf(' roadmap'), 'ada'), 400)
      assert.equal(await statusOf('GET', pathOf('x'.repeat(2_000)), 'ada'), 400)
      assert.equal(await statusOf('GET', pathOf('roadmap\n'), 'ada'), 400)
      for (const malformed of ['%ff', '%E0%A4%A', '%', '%zz']) {
        const status = await statusOf('GET', `${DOCUMENTS}/${malformed}`, 'ada')
        assert.ok(status >= 400 && status !== 503, `${malformed}: ${status}`)
      }
    })

    describe('without a decision', () => {
      const letAllPass = () => {
        gate.behaviour = passOn()
      }

      for (const [what, behaviour] of Object.entries(NO_DECISIONS))
        it(`reports ${what} as unavailable`, async () => {
          gate.behaviour = behaviour
          const statuses = [
            await statusOf('GET', pathOf('roadmap'), 'ada'),
            await statusOf('GET', pathOf('secret'), 'ada'),
          ]
          letAllPass()
          assert.deepEqual(statuses, [503, 503])
        })

      for (const [what, behaviour] of Object.entries({
        'responds late': respondLate,
        'finishes its response late': trickle,
      }))
        it(`does not wait for a server that ${what}`, async () => {
          gate.behaviour = behaviour
          const statuses = await Promise.all(['ada', 'bob'].map((user) => statusOf('GET', pathOf('roadmap'), user)))
          letAllPass()
          assert.deepEqual(statuses, [503, 503])
        })

      it('reports a server that is down as unavailable, and recovers with it', async () => {
        await gate.close()
        const statuses = await Promise.all(['ada', 'bob'].map((user) => statusOf('GET', pathOf('roadmap'), user)))
        await gate.open()
        assert.deepEqual(statuses, [503, 503])
        assert.equal(await statusOf('GET', pathOf('roadmap'), 'ada'), 200)
      })

      it(`${repeatsCalls ? 'repeats' : 'reports'} a call that was lost with its connection`, async () => {
        gate.behaviour = closeKept
        const statuses = []
        for (let time = 0; time < 4; time++) statuses.push(await statusOf('GET', pathOf('roadmap'), 'ada'))
        letAllPass()
        if (repeatsCalls) assert.deepEqual(statuses, [200, 200, 200, 200])
        else assert.ok(statuses.includes(503) && statuses.every((status) => status === 200 || status === 503))
      })
    })

    // This test is the last one, because it revokes the access of `ada`.
    it('responds as its README shows', async () => {
      const page = readFileSync(path.join(ROOT, 'examples', folder, 'README.md'), 'utf8')
      const steps = stepsOf(page.replaceAll('http://127.0.0.1:3000', url)).filter(({ commands }) =>
        commands.includes('curl'),
      )
      assert.equal(steps.length, 2)
      const printed = await printedBy(steps, { cwd: ROOT, env: shell })
      for (const [index, { commands, shown }] of steps.entries())
        assert.ok(isShown(printed[index] ?? '', shown), `${commands}\nprints\n${printed[index]}`)
    })
  })
}
