/** `npm run demo`: fills a running server (`--url`) with a company that is worth looking at, in a workspace of its own. */
import { parseArgs } from 'node:util'
import { CommonholdError } from '#sdk/index.ts'
import { ORGANIZATIONS } from './demo/company.ts'
import { addGrants, addGroups, addPeople, addStructure } from './demo/fill.ts'
import { addHistory, addWebhooks } from './demo/history.ts'
import { MISTAKES, type Mistake, makeMistakes } from './demo/mistakes.ts'
import { GUESTS, MEMBERS } from './demo/people.ts'
import { createDemo, type Demo } from './demo/workspace.ts'

const say = (text = ''): unknown => process.stdout.write(`${text}\n`)

async function run(url: string): Promise<void> {
  say(`Filling ${url}`)
  const { COMMONHOLD_HEADER_PREFIX: headerPrefix, COMMONHOLD_SIGNUP_TOKEN: signupToken } = process.env
  const demo = await createDemo({ url, headerPrefix: headerPrefix || undefined, signupToken: signupToken || undefined })
  say('  a workspace with two API keys')
  await addStructure(demo.client)
  const count = (of: 'folders' | 'documents') =>
    ORGANIZATIONS.reduce((sum, organization) => sum + organization[of].length, 0)
  say(`  ${ORGANIZATIONS.length} organizations, ${count('folders')} folders, ${count('documents')} documents`)
  await addPeople(demo.client)
  say(`  ${MEMBERS.length + GUESTS.length} people, ${GUESTS.length} of them guests`)
  await addGroups(demo.client)
  await addGrants(demo.client)
  say('  user groups and grants')
  await addWebhooks(demo.client)
  await addHistory(demo.client)
  say('  what happened since')
  await makeMistakes(demo.client)
  say(`  ${Object.keys(MISTAKES).length} mistakes`)
  tell(url, demo)
}

function tell(url: string, { workspaceId, workspaceToken, apiKey, authToken }: Demo): void {
  say(`
Mistakes worth finding. The console shows under “Why” what decides about a user and a resource.
`)
  Object.values<Mistake>(MISTAKES).forEach(({ says, ask }, index) => {
    say(`  ${String(index + 1).padStart(2)}. ${says}`)
    if (ask === undefined) return
    const { type, id, organizationId } = ask.resource
    say(`      ${ask.userId} → ${type} ${id}${organizationId === undefined ? '' : ` of ${organizationId}`}`)
  })
  say(`
Sign in at ${url}/console, as who owns everything:

  Workspace        ${workspaceId}
  Workspace token  ${workspaceToken}

or with the API key of the company:

  API key          ${apiKey}
  Auth token       ${authToken}
`)
}

/** What went wrong, in words for who typed the command. */
function explain(error: unknown, url: string): string {
  if (error instanceof CommonholdError && error.reason === 'unreachable')
    return `No server answers at ${url}. Start one with \`npm start\` and leave it running, or name another with \`npm run demo -- --url URL\`.`
  return error instanceof Error ? error.message : String(error)
}

let url = 'http://127.0.0.1:8080'
try {
  url = (parseArgs({ options: { url: { type: 'string' } } }).values.url ?? url).replace(/\/+$/, '')
  await run(url)
} catch (error) {
  process.stderr.write(`${explain(error, url)}\n`)
  process.exitCode = 1
}
