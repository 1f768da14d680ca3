/** Two servers share the weekly mails about findings, and are killed meanwhile: nobody gets two mails for one week. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { updateOperator } from '#contract/workspace/operators.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { eventually } from '#testing/eventually.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { signInAs } from '../conformance/support/console-session.ts'

const OPERATORS = 40
const KILLS = 4

test('a weekly mail arrives once, whichever of two servers is killed', async (t) => {
  const post = await startMailServer()
  const store = await createLastingStore()
  const settings = { ...store.settings, SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' }
  const first = await startProcess(settings)
  const addresses = Array.from({ length: OPERATORS }, (_, nth) => `owner.${nth}@example.com`)
  for (const ownerEmail of addresses) {
    const { id, authToken } = await first.client.call(createWorkspace, { ownerEmail })
    const owner = first.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    const admin = await signInAs(owner, 'admin', 'Kim', post)
    await admin.call(updateOperator, { operatorId: admin.operatorId, weeklyFindings: true })
  }
  const db = await store.open()
  // Each workspace has administrators without a second factor, so every mail has a finding.
  await db.query('update findings_mails set due_at = now()')
  let servers = [first, await startProcess(settings)]
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(20 + Math.random() * 200)
    const [oldest, ...others] = servers
    await oldest?.kill('SIGKILL')
    servers = [...others, await startProcess(settings)]
  }
  const open = async () => {
    const { rows } = await db.query(
      `select from findings_mails where week is null or due_at <= now() + interval '1 minute'`,
    )
    return rows.length
  }
  await eventually('no mail is due', async () => ((await open()) === 0 ? true : undefined), patient(120_000))
  for (const server of servers) await server.kill('SIGTERM')
  await db.close()
  const counts = Map.groupBy(
    post.mails.filter(({ headers }) => headers.some(({ key }) => key === 'list-unsubscribe')),
    ({ recipients: [to = ''] }) => to,
  )
  for (const [to, mails] of counts) assert.equal(mails.length, 1, to)
  // A server that is killed between its mark and the acceptance of the mail loses it: two are sent at the same time.
  assert.ok(counts.size >= OPERATORS - 2 * KILLS, `${counts.size} of ${OPERATORS}`)
  t.annotate(`${counts.size} of ${OPERATORS} mails arrived`)
})
