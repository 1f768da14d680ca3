/** The mails with links to sign in to the console. They contain no text that a tenant chose, not even the names of the workspaces. */
import { LIMITS } from '#contract/core/limits.ts'
import { type Content, pageOf } from './content.ts'

/** A link to sign in, and what its owner recognizes the workspace by. */
export interface SentLink {
  workspaceId: string
  createdAt: Date
  url: string
}

const MINUTES = LIMITS.loginLinkSeconds / 60
const DAYS = LIMITS.invitationLinkSeconds / 86_400

const lineOf = ({ workspaceId, createdAt, url }: SentLink): string =>
  `Workspace ${workspaceId}, created on ${createdAt.toISOString().slice(0, 10)}: ${url}`

export function loginLinksContent(links: readonly SentLink[]): Content {
  const said = `Somebody asked for ${links.length === 1 ? 'a link' : 'links'} to sign in to the console of Commonhold with this address. Each link works once, for ${MINUTES} minutes:`
  const otherwise = 'If it was not you, do nothing: nobody can sign in without the link.'
  const lines = links.map(lineOf)
  return {
    subject: 'Sign in to the console',
    text: `Hello,\n\n${said}\n\n${lines.map((each) => `${each}\n\n`).join('')}${otherwise}\n`,
    html: pageOf('Hello,', said, lines, otherwise).text,
  }
}

export function invitationContent(link: SentLink): Content {
  const said = `You have been invited to manage a workspace in the console of Commonhold. The link signs you in once, within ${DAYS} days:`
  const otherwise = 'If you do not know of this, do nothing.'
  return {
    subject: 'You have been invited to a workspace',
    text: `Hello,\n\n${said}\n\n${lineOf(link)}\n\n${otherwise}\n`,
    html: pageOf('Hello,', said, [lineOf(link)], otherwise).text,
  }
}
