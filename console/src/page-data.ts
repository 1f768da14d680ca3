/** Values that the server writes into the page. */
const meta = (selector: string) => document.querySelector<HTMLMetaElement>(selector)

/** The prefix of the server's header names: `x-<prefix>-api-key`. */
export const HEADER_PREFIX = meta('meta[name=header-prefix]')?.content ?? 'service'

/** The browser accepts styles that are added later only with this nonce. */
export const STYLE_NONCE = meta('meta[property=csp-nonce]')?.nonce ?? ''

/** The sign-up token of the link that the server prints at its start. It stays neither in the address nor in the history. */
export const SIGNUP_TOKEN = new URLSearchParams(location.hash.slice(1)).get('signup') ?? undefined
if (SIGNUP_TOKEN !== undefined) history.replaceState(history.state, '', location.pathname + location.search)

// The scroll lock of dialogs reads the nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE })
