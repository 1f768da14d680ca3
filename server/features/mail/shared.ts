/** Exports of the mail feature for other features. */
export { createInstallationMail } from './installation-mail.ts'
export { createInvitationLimit } from './invitation-limit.ts'
export { invitationContent, loginLinksContent, type SentLink } from './login-links-content.ts'
