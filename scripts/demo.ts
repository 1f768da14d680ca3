/** `npm run demo`: creates a workspace with the data of a sample company on a running server (`--url`). */
import { parseArgs } from 'node:util'
import { CommonholdError } from '#sdk/index.ts'
import { signupTokenFor } from '../cli/signup-token.ts'
import { makeDemo } from './demo/make-demo.ts'
import { MISTAKES, type Mistake } from './demo/mistakes.ts'
import type { Demo } from './demo/workspace.ts'

const say = (text = ''): unknown => process.stdout.write(`${text}\n`)

async function run(url: string): Promise<void> {
  say(`Filling ${url}`)
  const headerPrefix = process.env.COMMONHOLD_HEADER_PREFIX || undefined
  const server = { url, headerPrefix, signupToken: signupTokenFor(url, process.env) }
  printSummary(url, await makeDemo(server, (done) => say(`  ${done}`)))
}

function printSummary(url: string, { workspaceId, workspaceToken, apiKey, authToken }: Demo): void {
  say(`
The demo contains these mistakes. The “Why” view of the console explains each of them.
`)
  Object.values<Mistake>(MISTAKES).forEach(({ says, ask }, index) => {
    say(`  ${String(index + 1).padStart(2)}. ${says}`)
    if (ask === undefined) return
    const { type, id, organizationId } = ask.resource
    say(`      ${ask.userId} → ${type} ${id}${organizationId === undefined ? '' : ` of ${organizationId}`}`)
  })
  say(`
Sign in at ${url}/console as the owner of the workspace:

  Workspace        ${workspaceId}
  Workspace token  ${workspaceToken}

or with the API key of the company:

  API key          ${apiKey}
  Auth token       ${authToken}
`)
}

/** Returns an error message for the user of the command. */
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
