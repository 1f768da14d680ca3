/** Values that the server writes into the page. */
const meta = (selector: string) => document.querySelector<HTMLMetaElement>(selector)

/** The prefix of the server's header names: `x-<prefix>-api-key`. */
export const HEADER_PREFIX = meta('meta[name=header-prefix]')?.content ?? 'service'

/** The browser accepts styles that are added later only with this nonce. */
export const STYLE_NONCE = meta('meta[property=csp-nonce]')?.nonce ?? ''

// The scroll lock of dialogs reads the nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE })
