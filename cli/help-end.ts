/** The end of the help of `commonhold`: where credentials come from, and how to get started. */
import { exitCode } from './exit-codes.ts'

export const HELP_END = `
Credentials come from COMMONHOLD_URL, COMMONHOLD_API_KEY and
COMMONHOLD_AUTH_TOKEN (for workspace, workspace-token, key and token also
COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN), or from a profile,
where \`commonhold login\` saves your own session.

To get started, a server in a terminal of its own:
  commonhold serve
and in another terminal a workspace and a key, saved in a profile:
  commonhold workspace create ada@example.com --access restricted --save
  commonhold key create testing ada@example.com --access restricted --save
  commonhold org add acme --name "Acme Inc."
  commonhold grant add ada organization:acme --role editor
  commonhold check ada organization:acme
If something does not work: commonhold doctor

Exit codes: ${exitCode('done')} done or yes, ${exitCode('no')} no, ${exitCode('usage')} wrong usage, ${exitCode('credentials')} credentials,
${exitCode('unreachable')} unreachable, ${exitCode('refused')} refused, ${exitCode('later')} not now, ${exitCode('broken')} internal error.`
