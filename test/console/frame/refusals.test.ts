/**
 * The console makes no call that it knows will be refused: people with each role open every view, and neither the
 * browser nor the metrics of the server, which an operator watches, count a refusal.
 */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { parseMetrics } from '#testing/prometheus.ts'
import type { Visit } from '../support/browser.ts'
import { openConsole } from '../support/console.ts'
import { newHostileCompany } from '../support/hostile.ts'
import { newWorkspace, type Somebody, signInWithKey } from '../support/sign-in.ts'

const METRICS_TOKEN = 'the-token-of-these-tests'
const { server, visit } = await openConsole({ METRICS_TOKEN })

/** Returns the calls that were refused or failed since the visit began, in their order. */
function refusalsOf({ page }: Visit): string[] {
  const refusals: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return refusals
}

async function open(page: Page, view: string): Promise<void> {
  await page.goto(`${server.url}/console/${view}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** Returns the refusals of each view; views without refusals are left out. */
async function refusalsIn(visited: Visit, views: Iterable<string>): Promise<string[]> {
  const refusals = refusalsOf(visited)
  const found: string[] = []
  for (const view of views) {
    await open(visited.page, view)
    found.push(...refusals.splice(0).map((refusal) => `${view}: ${refusal}`))
  }
  return found
}

/** The views of a key in which nothing was added or turned on. */
const viewsOf = ({ apiKey }: Somebody): string[] => [
  ...['', 'keys', 'keys/new', 'workspace-tokens', 'people', 'account', 'single-sign-on'],
  ...[
    ...['', '/settings', '/settings/tokens', '/settings/domains', '/settings/email', '/settings/webhooks'],
    ...['/settings/comments', '/threads'],
    ...['/settings/compare', '/organizations', '/users', '/groups', '/invitations', '/migrations', '/events'],
    ...['/webhooks', '/webhooks/raw', '/webhooks/processed', '/matrix', '/why', '/access', '/inside', '/worth-a-look'],
  ].map((view) => `keys/${apiKey}${view}`),
]

describe('the console', () => {
  it('is refused nothing on the sign-in page', async () => {
    const visited = await visit('?forget')
    assert.deepEqual(await refusalsIn(visited, ['', 'keys']), [])
  })

  it('is refused nothing in any view of a workspace, full or empty', async () => {
    const [full, empty] = [await newHostileCompany(server), await newWorkspace(server.url)]
    const inFull = await refusalsIn(await visit('', { as: full }), Object.values(full.views))
    const inEmpty = await refusalsIn(await visit('', { as: empty }), viewsOf(empty))
    assert.deepEqual([inFull, inEmpty], [[], []])
  })

  for (const role of ['owner', 'admin', 'developer', 'support'] as const)
    it(`is refused nothing in the views of a person with the role ${role}`, async () => {
      const somebody = await newWorkspace(server.url)
      const { link = '' } = await somebody.owner.call(inviteOperator, { email: `${role}@example.com`, role })
      const visited = await visit('')
      await visited.page.goto('about:blank')
      await visited.page.goto(link.replace(/^https?:\/\/[^/]+/, server.url))
      await visited.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await visited.page.getByRole('button', { name: 'Account' }).waitFor()
      assert.deepEqual(await refusalsIn(visited, viewsOf(somebody)), [])
    })

  it('is refused nothing in the views of an API key', async () => {
    const somebody = await newWorkspace(server.url)
    const visited = await visit('')
    await signInWithKey(visited.page, somebody)
    assert.deepEqual(await refusalsIn(visited, viewsOf(somebody)), [])
  })

  it('leaves no refusal in the metrics', async () => {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    const families = parseMetrics(await response.text())
    const refused = families
      .get('http_request_duration_seconds')
      ?.samples.filter(({ name, labels }) => name.endsWith('_count') && Number(labels.status) >= 400)
    assert.deepEqual(refused, [])
  })
})
