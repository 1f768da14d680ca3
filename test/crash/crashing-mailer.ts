/**
 * Collects the comments of an API key that are queued and sends the mails about them, and dies at the given step of
 * that: before a statement or a commit is sent, or while it waits for the response. Without a step it prints the steps
 * that it saw.
 */

import type { OrganizationKey } from '#contract/core/ids.ts'
import { wordsOf } from '#features/comments/shared.ts'
import { createCollect } from '#features/mail/comments/collect.ts'
import { createSubscriptionLinks } from '#features/mail/comments/links.ts'
import { createConfirmation } from '#features/mail/confirmation.ts'
import { createDelivery } from '#features/mail/delivery.ts'
import type { Db } from '#platform/db/db.ts'
import { createLog } from '#platform/log.ts'
import { createSealer } from '#platform/secrets/seal.ts'
import { MAIL_FROM } from '#testing/mail-world.ts'
import { readConfig } from '../../server/config.ts'
import { countSteps, type DieAt, openStore, printSteps, stepping } from './crash-step.ts'

export interface MailOrder {
  /** The thread whose comments it mails; the rest of other threads is mailed too. */
  annotationId: string
  apiKeyId: string
  smtpUrl: string
  dieAt: DieAt
}

const { annotationId, apiKeyId, smtpUrl, dieAt }: MailOrder = JSON.parse(process.argv[2] ?? '')
const opened = await openStore(readConfig(process.env))
const { steps, step } = countSteps(dieAt)
const run: Db['run'] = (statement, values) => step(statement.name, () => opened.run(statement, values))
const runSet: Db['runSet'] = (set, rows) => step(set.name, () => opened.runSet(set, rows))
const db: Db = Object.create(stepping(opened, step), { run: { value: run }, runSet: { value: runSet } })

const sealer = createSealer(Buffer.alloc(32, 1))
const publicUrl = () => 'https://commonhold.example'
const collect = createCollect(db, true)
const delivery = createDelivery({
  ...{ db, sealer, log: createLog('silent') },
  smtp: { url: smtpUrl, from: MAIL_FROM },
  sendGridUrl: '',
  mailsPerRecipient: 0,
  confirmation: createConfirmation({ db, sealer, publicUrl, isRequired: false }),
  links: createSubscriptionLinks(sealer, publicUrl),
  words: wordsOf('x'),
  observe: () => {},
})

const queued = await opened.query(
  `select organization_key as "organizationKey", mailing_id as "mailingId" from comment_mailings where api_key_id = $1 and annotation_id = $2`,
  [apiKeyId, annotationId],
)
for (const job of queued.rows as { organizationKey: OrganizationKey; mailingId: string }[]) await collect(job)
const open = await opened.query(
  `select mail_id as "mailId", claims from mails where api_key_id = $1 and state = 'pending' order by mail_id`,
  [apiKeyId],
)
for (const job of open.rows as { mailId: string; claims: number }[]) await delivery.deliver(job)
delivery.close()
await printSteps(steps)
