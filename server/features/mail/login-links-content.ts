/** The mail with links to sign in to the console. It says nothing that a tenant chose, also not the names of the workspaces. */
import { LIMITS } from '#contract/limits.ts'
import { type Content, pageOf } from './content.ts'

/** A link to sign in, and what its owner recognizes the workspace by. */
export interface SentLink {
  workspaceId: string
  createdAt: Date
  url: string
}

const MINUTES = LIMITS.loginLinkSeconds / 60

export function loginLinksContent(links: readonly SentLink[]): Content {
  const said = `Somebody asked for ${links.length === 1 ? 'a link' : 'links'} to sign in to the console of Commonhold with this address. Each link works once, for ${MINUTES} minutes:`
  const otherwise = 'If it was not you, do nothing: nobody can sign in without the link.'
  const lines = links.map(
    ({ workspaceId, createdAt, url }) =>
      `Workspace ${workspaceId}, created on ${createdAt.toISOString().slice(0, 10)}: ${url}`,
  )
  return {
    subject: 'Sign in to the console',
    text: `Hello,\n\n${said}\n\n${lines.map((each) => `${each}\n\n`).join('')}${otherwise}\n`,
    html: pageOf('Hello,', said, lines, otherwise).text,
  }
}
