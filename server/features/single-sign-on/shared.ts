/** Exports of the single sign-on feature for other features. */
export { failurePage, SignInFailed } from './failure.ts'
export { browserSecret, createSingleSignOn, SIGN_IN_SECONDS, type SingleSignOn } from './sign-in.ts'
