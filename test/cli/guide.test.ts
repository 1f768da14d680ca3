/** Runs the commands of the command-line guides in order and compares their output with what the pages show. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { describe, it } from 'vitest'
import { addDocuments } from '#contract/documents.ts'
import { addFolders } from '#contract/folders.ts'
import { addOrganizations } from '#contract/organizations.ts'
import { addPermissions } from '#contract/permissions.ts'
import { addUsers } from '#contract/users.ts'
import { newHome, writeCommonhold } from '#testing/cli.ts'
import { isShown, printedBy, type Step, stepsOf } from '#testing/guide-page.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'
import { newCallers } from '../conformance/support/callers.ts'

const pageOf = (guide: string): string => readFileSync(path.join(ROOT, `docs/guides/${guide}.md`), 'utf8')

/** Creates a data set in place of the hosted service that the guide moves from; returns the variables for it. */
async function hosted(url: string): Promise<Record<string, string>> {
  const { apiKey } = await newCallers(url, 'acme')
  const inAcme = { organizationId: 'acme' }
  await apiKey.call(addOrganizations, {
    organizations: [{ ...inAcme, organizationName: 'Acme Inc.', ...{ plan: 'gold' } }],
  })
  await apiKey.call(addFolders, {
    ...inAcme,
    folders: [
      { folderId: 'plans', accessType: 'restricted' },
      { folderId: '2027', parentFolderId: 'plans' },
    ],
  })
  await apiKey.call(addDocuments, { ...inAcme, folderId: '2027', documents: [{ documentId: 'roadmap' }] })
  await apiKey.call(addDocuments, { ...inAcme, documents: [{ documentId: 'budget', accessType: 'restricted' }] })
  await apiKey.call(addUsers, { ...inAcme, users: [{ userId: 'bob', name: 'Bob' }] })
  await apiKey.call(addUsers, {
    ...inAcme,
    documentId: 'roadmap',
    users: [{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }],
  })
  await apiKey.call(addPermissions, {
    user: { userId: 'bob' },
    permissions: { resources: [{ ...inAcme, type: 'folder', id: 'plans', accessRole: 'viewer' }] },
  })
  const { 'x-acme-api-key': OLD_API_KEY = '', 'x-acme-auth-token': OLD_AUTH_TOKEN = '' } = apiKey.headers
  return { OLD_URL: url, OLD_API_KEY, OLD_AUTH_TOKEN }
}

const { url } = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const [, settings = ''] = /^```ini\n(.*?)^```$/ms.exec(pageOf('move-from-a-hosted-service')) ?? []
const { url: movedTo } = await startServer(parseEnv(settings) as Record<string, string>)

/** The guides, and their initial environment variables. */
const GUIDES: Readonly<Record<string, Record<string, string>>> = {
  'use-the-command-line': { COMMONHOLD_URL: url },
  'move-in-and-out': { COMMONHOLD_URL: url },
  'move-from-a-hosted-service': { COMMONHOLD_URL: movedTo, ...(await hosted(movedTo)) },
}

function run(steps: readonly Step[], environment: Record<string, string>): Promise<string[]> {
  const HOME = newHome()
  writeCommonhold(HOME)
  const PATH = [HOME, path.dirname(process.execPath), process.env.PATH].join(path.delimiter)
  return printedBy(steps, { cwd: HOME, env: { PATH, HOME, ...environment } })
}

const runs: { guide: string; steps: readonly Step[]; printed: readonly string[] }[] = []
for (const [guide, environment] of Object.entries(GUIDES)) {
  const steps = stepsOf(pageOf(guide))
  runs.push({ guide, steps, printed: await run(steps, environment) })
}

for (const { guide, steps, printed } of runs) {
  describe(`the guide ${guide}`, () => {
    it('runs to its end', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

    steps.forEach(({ commands, shown }, index) => {
      it(`prints what the page shows in step ${index + 1}: ${commands.split('\n', 1)[0]}`, () => {
        assert.ok(isShown(printed[index] ?? '', shown), `${printed[index]}\nis not\n${shown}`)
      })
    })
  })
}
