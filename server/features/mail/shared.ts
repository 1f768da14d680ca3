/** Exports of the mail feature for other features. */
export { createInstallationMail } from './installation-mail.ts'
export { createInvitationLimit } from './limits.ts'
export { invitationContent, loginLinksContent, type SentLink } from './login-links-content.ts'
