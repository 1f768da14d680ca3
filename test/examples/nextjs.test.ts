/**
 * The example for Next.js, installed and built as its README says, keeps the promise of all examples.
 * docs/guides/check-in-your-framework.md shows its code.
 */
import assert from 'node:assert/strict'
import path from 'node:path'
import { it } from 'vitest'
import { run } from '#testing/processes/toolchain.ts'
import { openPage } from '../console/support/browser.ts'
import { describeExample } from './promise.ts'
import { copyOf, npmInstall, startExample } from './start.ts'

async function start() {
  const folder = copyOf('nextjs')
  const missing = await npmInstall(folder, ['sdk', 'components'])
  if (missing !== undefined) return missing
  const next = path.join(folder, 'node_modules/next/dist/bin/next')
  await run(process.execPath, [next, 'build'], {
    cwd: folder,
    env: { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  })
  return startExample(folder, process.execPath, next, 'start', '--hostname', '127.0.0.1')
}

const example = await start()
describeExample('Next.js', example, { folder: 'nextjs', readsEncodedSlashes: true, repeatsCalls: true })

it.skipIf(typeof example === 'string')('an editor shares on its page, and readers do not', async () => {
  if (typeof example === 'string') return
  const { url, commonhold } = example
  await commonhold.keyConfig.update({ userSharing: 'editors' })
  await commonhold.domains.add({ domains: ['127.0.0.1'] })
  const resource = { type: 'document', id: 'roadmap', organizationId: 'acme' } as const
  for (const userId of ['eve', 'grace'])
    await commonhold.grant({ userId, resource: { type: 'organization', id: 'acme' }, accessRole: 'viewer' })
  await commonhold.grant({ userId: 'eve', resource, accessRole: 'editor' })
  await commonhold.grant({ userId: 'ann', resource, accessRole: 'viewer' })

  const { page, faults } = await openPage(`${url}/sign-in/eve`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const share = page.getByRole('dialog', { name: 'Share this document' })
  await share.getByRole('combobox', { name: 'People and groups' }).fill('grace')
  await share.getByRole('option', { name: 'grace' }).click()
  await share.getByRole('listitem').filter({ hasText: 'grace' }).getByText('Can view').waitFor()
  await share.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByText('1 changed').waitFor()
  assert.equal((await commonhold.check({ userId: 'grace', resource })).accessRole, 'viewer')
  assert.deepEqual(faults, [])

  const { page: ofReader } = await openPage(`${url}/sign-in/ann`)
  await ofReader.getByRole('button', { name: 'Who has access' }).click()
  await ofReader.getByText('Your role does not allow this').waitFor()
})
