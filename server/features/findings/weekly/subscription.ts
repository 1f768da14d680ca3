/**
 * Who gets the weekly mail: the setting of an operator, and the page of the link in each mail. The page works for
 * everybody who has the mail, by a token sealed with the master key; a mail program that unsubscribes with one click
 * sends the request of the button (RFC 8058).
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { formPages, line, notValid } from '#features/mail/shared.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { type Html, html } from '#platform/html.ts'
import { sendPage } from '#platform/page.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { GET_SUBSCRIBER, SUBSCRIBE, type Subscriber, UNSUBSCRIBE, type WeeklyJob } from './statements.ts'

const PATH = '/mail/findings'
const CONTEXT = { column: 'findings_mails.subscription', row: '' }

/** Begins or ends the mails of an operator, in a transaction that has locked the workspace. */
export const setWeekly = async (
  session: Session,
  { workspaceId, operatorId }: WeeklyJob,
  isOn: boolean,
): Promise<void> => void (await session.run(isOn ? SUBSCRIBE : UNSUBSCRIBE, [workspaceId, operatorId]))

export function createWeeklyLinks({ sealer, publicUrl }: Pick<Kernel, 'sealer' | 'publicUrl'>) {
  return {
    linkFor: ({ workspaceId, operatorId }: WeeklyJob): string =>
      `${publicUrl()}${PATH}?token=${sealer.seal(JSON.stringify([workspaceId, operatorId]), CONTEXT).toString('base64url')}`,

    /** Returns whom a token was made for, or undefined. */
    subscriberOf(token: unknown): WeeklyJob | undefined {
      try {
        const text = sealer.open(Buffer.from(String(token), 'base64url'), CONTEXT)
        const [workspaceId = '', operatorId = ''] = JSON.parse(text) as string[]
        return { workspaceId, operatorId }
      } catch {
        return undefined
      }
    },
  }
}

export function weeklyPages(kernel: Pick<Kernel, 'db' | 'sealer' | 'publicUrl'>, { app, limits }: Pipeline): void {
  const { db } = kernel
  const links = createWeeklyLinks(kernel)
  const find = async ({ workspaceId, operatorId }: WeeklyJob) =>
    (await db.run(GET_SUBSCRIBER, [workspaceId, operatorId]))[0]

  formPages(app, PATH, async (request, reply) => {
    await limits.perAddress.consume(request.ip, reply)
    const { token, again } = request.query
    const subject = links.subscriberOf(token)
    if (subject === undefined || (await find(subject)) === undefined) return sendPage(reply, 404, notValid)
    if (request.method === 'POST') {
      const workspace = { workspaceId: subject.workspaceId as WorkspaceId }
      await changeWorkspace(db, workspace, (session) => setWeekly(session, subject, again !== undefined))
    }
    const found = await find(subject)
    return sendPage(
      reply,
      found === undefined ? 404 : 200,
      found === undefined ? notValid : pageOf(found, String(token)),
    )
  })
}

function pageOf({ workspaceName, isOn }: Subscriber, token: string) {
  const form = (button: string, again: boolean): Html =>
    html`<form method="post" action="?token=${token}${again ? '&again=1' : ''}"><button>${button}</button></form>`
  const name = line(workspaceName)
  return isOn
    ? {
        title: 'Unsubscribe?',
        body: html`<p>You will get no more weekly mails about what is worth a look in “${name}”.</p>${form('Unsubscribe', false)}`,
      }
    : {
        title: 'You are unsubscribed',
        body: html`<p>You get no more weekly mails about what is worth a look in “${name}”.</p>${form('Get them again', true)}`,
      }
}
