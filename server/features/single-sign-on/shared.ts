/** Exports of the single sign-on feature for other features. */
export { requireNoProvider } from './admission.ts'
export { browserSecret, SIGN_IN_SECONDS } from './browser.ts'
export { SignInFailed } from './failure.ts'
export { failurePage, reportPage } from './pages.ts'
export { createSingleSignOn, type SingleSignOn } from './sign-in.ts'
