/** Exports of the mail feature for other features. */
export { createInstallationMail } from './installation-mail.ts'
export { loginLinksContent, type SentLink } from './login-links-content.ts'
