/** What the server wrote into the page. */
const meta = (selector: string) => document.querySelector<HTMLMetaElement>(selector)

/** Of the headers of this server: `x-<prefix>-api-key`. */
export const HEADER_PREFIX = meta('meta[name=header-prefix]')?.content ?? 'service'

/** Styles that are written later are taken with it alone. */
export const STYLE_NONCE = meta('meta[property=csp-nonce]')?.nonce ?? ''

// The components that keep the page behind a dialog from scrolling look for it under this name.
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE })
