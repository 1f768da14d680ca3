/** The test helper for applications: a server, a data set for each test, and a clock that can be moved. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { startTestServer } from '#sdk/testing.ts'
import { until } from '#testing/eventually.ts'
import { startScript } from '#testing/processes/process.ts'
import { ROOT } from '../../scripts/root.ts'

const program = path.join(ROOT, 'cli/main.ts')

describe('startTestServer', () => {
  it('gives each test an isolated data set', async () => {
    const server = await startTestServer({ program })
    const [one, other] = [await server.newKey(), await server.newKey()]
    await one.client.organizations.add({ organizations: [{ organizationId: 'acme' }] })
    assert.deepEqual(await other.client.organizations.get(), [])
    await one.remove()
    await assert.rejects(one.client.organizations.get(), { reason: 'credentials_invalid' })
    await assert.rejects(server.setTime('2031-01-01T00:00:00Z'), /started with clock/)
    await server.stop()
    await assert.rejects(fetch(server.url))
  })

  it('moves the clock, for tests of expiry', async () => {
    const server = await startTestServer({ program, clock: '2030-01-01T00:00:00Z' })
    const { client } = await server.newKey()
    const resource = { type: 'organization', id: 'acme' } as const
    const expiresAt = Date.parse('2030-01-02T00:00:00Z') / 1_000
    await client.permissions.add({ user: { userId: 'ada' }, permissions: { resources: [{ ...resource, expiresAt }] } })
    assert.equal((await client.check({ userId: 'ada', resource })).allowed, true)
    for (const time of ['2030-02-31T00:00:00Z', '2030-01-02T00:00:00', 'soon'])
      await assert.rejects(server.setTime(time), /the time must/)
    await server.setTime('2030-01-02T00:00:00Z')
    const { allowed, reason } = await client.check({ userId: 'ada', resource })
    assert.deepEqual([allowed, reason], [false, 'grant_expired'])
    await server.stop()
  })

  it('keeps no process alive, and ends with it', async () => {
    const helper = path.join(ROOT, 'sdk/testing.ts')
    const script = `import { startTestServer } from ${JSON.stringify(helper)}
      const { url } = await startTestServer({ program: ${JSON.stringify(program)} })
      console.log(url)`
    const { code, stdout } = await startScript('-e', { HOME: import.meta.dirname }, [script]).exited
    assert.equal(code, 0)
    const isGone = () =>
      fetch(stdout.trim()).then(
        () => false,
        () => true,
      )
    await until('end of the server', isGone)
  })

  it('is used as docs/guides/use-the-command-line.md shows', async () => {
    const page = readFileSync(path.join(ROOT, 'docs/guides/use-the-command-line.md'), 'utf8')
    const [, block = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? []
    const helper = path.join(ROOT, 'sdk/testing.ts')
    const script = block
      .replace("'@commonhold/client/testing'", JSON.stringify(helper))
      .replace('startTestServer({', `startTestServer({ program: ${JSON.stringify(program)},`)
    const end = '\nconsole.log(await client.organizations.get())\nawait remove()\nawait server.stop()'
    const { code, stdout, stderr } = await startScript('-e', { HOME: import.meta.dirname }, [script + end]).exited
    assert.deepEqual([code, stdout], [0, '[]\n'], stderr)
  })

  it('finds the packages of Node that come with the program', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const helper = readFileSync(path.join(ROOT, 'sdk/testing.ts'), 'utf8')
    for (const name of Object.keys(optionalDependencies)) assert.ok(helper.includes(`'${name}'`), name)
  })

  it('reports a missing program or package', async () => {
    await assert.rejects(startTestServer({ program: '/nowhere.js' }), /commonhold dev ended: [\s\S]*Cannot find module/)
    await assert.rejects(startTestServer(), /The package commonhold is not installed here/)
  })
})
