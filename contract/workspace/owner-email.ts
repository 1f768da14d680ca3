/** `workspace/email/*`: the e-mail addresses of owners: whether one is confirmed, and links to sign in to the console with it. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { Email, HttpUrl } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const getOwnerEmail = operation({
  name: 'owner-email.get',
  path: '/v2/workspace/email/status',
  credentials: 'none',
  summary: 'Get whether an address is confirmed',
  description:
    'Returns whether the owner of an address has confirmed it with the link of a mail, which is sent with `MAIL_CONFIRM_OWNERS`. An address without a workspace is not confirmed either: the response does not say who has one.',
  data: ClosedObject({ ownerEmail: Email('The address.') }),
  result: Type.Object({ verified: Type.Boolean() }),
  success: 'E-mail status retrieved successfully.',
  example: { ownerEmail: 'owner@example.com' },
})

export const createLoginLink = operation({
  name: 'login-links.create',
  path: '/v2/workspace/email/send-login-link',
  credentials: 'none',
  summary: 'Send a link to sign in to the console',
  description: `Sends a mail with a link for each workspace that has an operator with the address, by the mail server of the installation; a link works once, for ${LIMITS.loginLinkSeconds / 60} minutes. The response is the same whether or not there is one, and whether or not a mail can be sent. An operator is sent at most ${LIMITS.loginLinksPerHourMax} links in an hour, and then one whenever none of them is usable.`,
  data: ClosedObject({
    email: Email('The address of an operator, such as the owner.'),
    continueUrl: Type.Optional({
      ...HttpUrl(
        'Accepted only if its host is the host of this server, or `localhost`. The link always opens the console.',
      ),
    }),
  }),
  success: 'If the address has a workspace, a link was sent to it.',
  example: { email: 'owner@example.com' },
})

export const OWNER_EMAIL_OPERATIONS = [getOwnerEmail, createLoginLink]
