/** Exports of the mail feature for other features. */

export { Refused } from './carriers/message.ts'
export type { Content } from './content.ts'
export { createInstallationMail } from './installation-mail.ts'
export { layoutOf } from './layout.ts'
export { createInvitationLimit } from './limits.ts'
export { invitationContent, loginLinksContent, type SentLink } from './login-links-content.ts'
export { formPages, notValid } from './pages.ts'
export { block, line } from './text.ts'
